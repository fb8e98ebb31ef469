# Starts the packaged program on Windows and clicks through with UI Automation and the mouse.
#
#   powershell -File lab\packaged\windows.ps1 -Program dist\soulpet\soulpet.exe -Shots shots\packaged
#
# Windows PowerShell 5.1 or newer with a desktop. Every step is printed; pictures and the program's log go to -Shots.
# Ends with 1 if the pet did not come, its chat did not open, or a typed message was not on the disk.
param(
    [Parameter(Mandatory)] [string] $Program,
    [string] $Shots = 'shots\packaged',
    [int] $Patience = 60
)
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

Add-Type -AssemblyName 'UIAutomationClient', 'UIAutomationTypes', 'System.Windows.Forms', 'System.Drawing'
Add-Type @'
using System;
using System.Runtime.InteropServices;
public static class Mouse {
    [DllImport("user32.dll")] public static extern bool SetProcessDPIAware();
    [DllImport("user32.dll")] public static extern bool SetCursorPos(int x, int y);
    [DllImport("user32.dll")] public static extern void mouse_event(uint flags, uint x, uint y, uint data, UIntPtr extra);
    public static void Click(int x, int y, int times) {
        SetCursorPos(x, y);
        for (int each = 0; each < times; each++) {
            mouse_event(0x0002, 0, 0, 0, UIntPtr.Zero);
            mouse_event(0x0004, 0, 0, 0, UIntPtr.Zero);
            System.Threading.Thread.Sleep(60);
        }
    }
}
'@
[void] [Mouse]::SetProcessDPIAware()

$said = 'Good morning from the packaged program'
$work = Join-Path ([IO.Path]::GetTempPath()) ('soulpet-check-' + [guid]::NewGuid())
$petHome = Join-Path $work 'home'
[void] (New-Item -ItemType Directory -Force $Shots, (Join-Path $petHome 'config'), (Join-Path $petHome 'state'))
Set-Content -Encoding ascii (Join-Path $petHome 'config\settings.toml') "demo = true`nlanguage = `"en`""
Set-Content -Encoding ascii (Join-Path $petHome 'state\state.json') '{"welcome": 0}'
$Program = (Resolve-Path $Program).Path

function Save-Picture([string] $name) {
    $area = [Windows.Forms.SystemInformation]::VirtualScreen
    $picture = New-Object Drawing.Bitmap $area.Width, $area.Height
    $canvas = [Drawing.Graphics]::FromImage($picture)
    $canvas.CopyFromScreen($area.Location, [Drawing.Point]::Empty, $area.Size)
    $picture.Save((Join-Path (Resolve-Path $Shots) "$name.png"))
    $canvas.Dispose()
    $picture.Dispose()
}

function Wait-For([string] $what, [scriptblock] $look, [int] $seconds = $Patience) {
    $end = (Get-Date).AddSeconds($seconds)
    while ((Get-Date) -lt $end) {
        $found = & $look
        if ($found) { Write-Host "ok: $what"; return $found }
        Start-Sleep -Milliseconds 200
    }
    throw "not seen within $seconds s: $what"
}

function Get-Windows {
    $root = [Windows.Automation.AutomationElement]::RootElement
    $ours = New-Object Windows.Automation.PropertyCondition(
        [Windows.Automation.AutomationElement]::ProcessIdProperty, $pet.Id)
    @($root.FindAll([Windows.Automation.TreeScope]::Children, $ours))
}

function Get-Window([scriptblock] $fits) {
    Get-Windows | Where-Object { $_.Current.Name -and (& $fits $_.Current.Name) -and -not $_.Current.IsOffscreen } |
        Select-Object -First 1
}

$code = 1
$pet = Start-Process -PassThru $Program -ArgumentList '--home', "`"$petHome`"" `
    -RedirectStandardError (Join-Path $Shots 'stderr.txt') -RedirectStandardOutput (Join-Path $Shots 'stdout.txt')
try {
    $started = Get-Date
    $window = Wait-For 'the pet on the screen' {
        if ($pet.HasExited) { throw "it ended with $($pet.ExitCode)" }
        Get-Window { param($name) $name -eq 'Soulpet' }
    }
    Write-Host ('after {0:N1} s' -f ((Get-Date) - $started).TotalSeconds)
    Save-Picture '1-pet'

    $box = $window.Current.BoundingRectangle
    $chat = Wait-For 'the chat after a double-click' {
        [Mouse]::Click([int] ($box.X + $box.Width / 2), [int] ($box.Y + $box.Height / 2), 2)
        $end = (Get-Date).AddSeconds(3)
        do {
            $found = Get-Window { param($name) $name -like '*Soulpet chat' }
            Start-Sleep -Milliseconds 100
        } until ($found -or (Get-Date) -gt $end)
        $found
    }
    Save-Picture '2-chat'
    $edit = New-Object Windows.Automation.PropertyCondition(
        [Windows.Automation.AutomationElement]::ControlTypeProperty, [Windows.Automation.ControlType]::Edit)
    $field = Wait-For 'the message box in the accessibility tree' {
        $chat.FindFirst([Windows.Automation.TreeScope]::Descendants, $edit)
    }
    $field.SetFocus()
    [Windows.Forms.SendKeys]::SendWait($said)
    [Windows.Forms.SendKeys]::SendWait('{ENTER}')
    [void] (Wait-For 'the typed message on the disk' {
        Get-ChildItem -Recurse -Filter '*.jsonl' (Join-Path $petHome 'data\pets') -ErrorAction SilentlyContinue |
            Select-String -SimpleMatch $said -List
    })
    Start-Sleep -Seconds 2  # for the picture: the reply of the demo comes in
    Save-Picture '3-said'

    $second = Start-Process -PassThru -Wait $Program -ArgumentList '--home', "`"$petHome`""
    if ($second.ExitCode -ne 0) { throw "a second start ended with $($second.ExitCode)" }
    Write-Host 'ok: a second start brings the first one forward and ends'

    [Mouse]::Click([int] ($box.X + $box.Width / 2), [int] ($box.Y + $box.Height / 2), 1)
    Save-Picture '4-poked'
    if ($pet.HasExited) { throw "it ended with $($pet.ExitCode)" }
    $code = 0
} catch {
    Write-Host "FAILED: $_"
    Save-Picture 'failed'
    Get-Windows | ForEach-Object { Write-Host "window: $($_.Current.Name) $($_.Current.BoundingRectangle)" }
} finally {
    if (-not $pet.HasExited) { $pet.CloseMainWindow() | Out-Null; if (-not $pet.WaitForExit(10000)) { $pet.Kill() } }
    Copy-Item -Recurse -Force (Join-Path $petHome 'log') $Shots -ErrorAction SilentlyContinue
    Remove-Item -Recurse -Force $work -ErrorAction SilentlyContinue
}
exit $code
