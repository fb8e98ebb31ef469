; The Windows installer, made by Inno Setup 6 from dist\soulpet:  iscc /DVersion=1.0.0 .ci\windows.iss
; For the current user by default, so that no administrator is needed. It leaves the owner's files alone.
#ifndef Version
  #error Give the version: /DVersion=1.0.0
#endif

[Setup]
AppId={{3D5AD360-3431-457C-B2BF-00D7F4A8FB1D}
AppName=Soulpet
AppVersion={#Version}
AppPublisher=The Soulpet developers
DefaultDirName={autopf}\Soulpet
DefaultGroupName=Soulpet
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
SourceDir=..
OutputDir=dist
OutputBaseFilename=soulpet-{#Version}-setup
SetupIconFile=assets\icon\soulpet.ico
UninstallDisplayIcon={app}\soulpet.exe
LicenseFile=LICENSE
Compression=lzma2
SolidCompression=yes
WizardStyle=modern
CloseApplications=yes

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"

[Files]
Source: "dist\soulpet\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs
Source: "LICENSE"; DestDir: "{app}"; Flags: ignoreversion

[Icons]
Name: "{group}\Soulpet"; Filename: "{app}\soulpet.exe"
Name: "{group}\Uninstall Soulpet"; Filename: "{uninstallexe}"

[Run]
Filename: "{app}\soulpet.exe"; Description: "Open Soulpet"; Flags: nowait postinstall skipifsilent
