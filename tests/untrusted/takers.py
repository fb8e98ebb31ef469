"""Every function that takes bytes from outside in the main process, with its largest input.

A row: module, limit, functions. The limit is ``module:NAME`` of a number, or a word of ``WORDS``: why it needs none.
"""

from __future__ import annotations

WORDS = {
    "OURS": "packaged with the program, or made by it a moment before",
    "CHILD": "in the child process that reads documents, or a hook's or host's own process",
    "OWNER": "typed by the owner, or a file that the system or this program wrote",
    "QT": "Qt decodes it, up to 256 MB of pixels (its own limit)",
    "WHOLE": "forgetting leaves nothing out: a conversation is read whole",
}
ROWS = """
body.bodies | OURS | _frames
bridge.commands.desktop | services.file_transfer:_LONGEST_PIECE | DesktopCommands._on_screenshot
bridge.commands.turns | OURS | AttachmentCommands.read_attachment
bridge.dispatch | serde:MAX_MESSAGE | Commands._answer
bridge.named_pipe | bridge.named_pipe:_KEY_BYTES | _stored_key
bridge.socket_server | serde:MAX_MESSAGE | SocketServer._answer RunningPet.call
bridge.unix_socket | serde:MAX_MESSAGE | UnixChannel._exactly
cli.chat_session | workspace.attachments:MAX_FILE | _content
cli.commands.settings | OWNER | _typed
cli.main | cli.main:_MOST_SETTINGS | _texts
cli.terminal | OWNER | argument_text Terminal.ask
desktop.autostart | OWNER | LaunchAgent._entry
desktop.bubble_parts | QT | WritingLine._clipboard WritingLine._paste
desktop.bubble_view | OURS | BubbleView._picture
desktop.bubble_view | desktop.dropped_things:_LARGEST_FILE | BubbleView.dragEnterEvent BubbleView.dropEvent
desktop.dropped_things | desktop.dropped_things:_LARGEST_FILE | dropped_batches _given
desktop.linux.portal | desktop.linux.portal:_LARGEST | _read_and_remove
desktop.linux.selection | services.offers.ask_field:LONGEST_QUOTE | SelectionReader.read
desktop.linux.x11_server | OWNER | XServer.window_manager
desktop.linux.x11_windows | OWNER | XWindows._title
desktop.menu | OURS | PetTray._still
desktop.web_engine | desktop.web_engine:MOST_CHARACTERS | call_arguments
desktop.pet_pictures | OURS | _Packed.unpacked _blank SheetPictures.__init__ _decoded
desktop.pet_view | desktop.dropped_things:_LARGEST_FILE | PetView.dragEnterEvent PetView.dropEvent
desktop.process | OWNER | end_on_signals.listen
desktop.web_engine | OWNER | take_models.enter take_models.drop
desktop.web_engine | serde:MAX_MESSAGE | evaluate_within
engine.demo | OURS | DemoProvider._answer
engine.document_pages | workspace.attachments:_MAX_STORED | _pages
engine.message_history | workspace.attachments:_MAX_STORED | AttachmentRenderer.__call__ _pages
extras.small_models.decisions | OURS | _weights
extras.agents.book | extras.agents.book:_FILE_LIMIT | AgentBook._read AgentBook._change
extras.agents.cli | OURS | agent.call
extras.agents.gateway | extras.agents.gateway:LONGEST_ARGUMENTS | AgentGateway._run AgentGateway._write
extras.agents.hook | CHILD | report _call_unix.call _main
extras.agents.installation | extras.agents.installation:_LIMIT | read_settings plain settings_in _parts
extras.agents.protocol | extras.agents.protocol:_LONGEST_LINE | McpServer.serve McpServer._skip_line
extras.agents.protocol | extras.agents.protocol:_LONGEST_LINE | McpServer._receive _tool_result
extras.documents.child | CHILD | main _print_pages
extras.documents.reading | workspace.attachments:MAX_FILE | document_kind
extras.documents.reading | extras.documents.child:MOST_BYTES | read_document _document
extras.documents.web_text | CHILD | _source
extras.documents.office | CHILD | Parts.__init__
extras.imports.card | extras.imports.card:MAX_FILE | _whole _inflated _decoded _card_in_zip _zip_with
extras.imports.card | extras.imports.card:MAX_FILE | _EmbeddedImages._chunks _EmbeddedImages._zip_file
extras.imports.card | extras.imports.card:MAX_FILE | _decoded_image
extras.imports.character_cards | extras.imports.card:MAX_FILE | read_stored_card _small
extras.imports.chat_exports | extras.imports.detect:MAX_ITEM | _canvas
extras.imports.cli | extras.imports.cli:_MOST_BYTES | _is_card
extras.imports.detect | extras.imports.detect:MAX_ITEM | read_objects _add_memories
extras.imports.markdown_files | extras.imports.source:MAX_TEXT | _take_lines _object
extras.imports.packed_pet | extras.imports.packed_pet:_MAX_SHOWN | read_packed_pet _open _settings
extras.imports.source | extras.imports.source:MAX_TEXT | _Watched.readline ImportSource.open open_source to_text
extras.imports.source | extras.imports.source:MAX_TEXT | storable_text
extras.imports.chat_exports | extras.imports.chat_exports:_MAX_LINE | read_head _messages _parsed
extras.keepsakes.drawing | OURS | draw_keepsake
extras.mcp_servers.running | extras.mcp_servers.running:_MOST_BYTES | _Decoder.decode
extras.mcp_servers.calls | extras.mcp_servers.calls:_MOST_BYTES | McpTool.decode _Call._picture
extras.mcp_servers.entries | extras.mcp_servers.entries:_MOST | _parsed _servers_of_program
extras.mcp_servers.running | extras.mcp_servers.running:_SCHEMA | _server_tool
fs.zip_reading | fs.zip_reading:_MAX_DIRECTORY | _opened open_zip is_zip
i18n.__init__ | OURS | catalogue
language.__init__ | OURS | read_rows
extras.local_models.host | CHILD | main
extras.local_models.library | extras.local_models.library:_LONGEST_MANIFEST | _lm_studio _digest _is_gguf
extras.local_models.model_store | extras.local_models.model_store:_MOST_BYTES | read_header _Reader.string
extras.local_models.supervisor | OURS | HomeLock.read_address
extras.local_models.supervisor | OURS | Supervisor._spawn _url
memory.store.forget_plan | memory.store.forget_plan:_MOST | _lines_with _read
memory.store.forgetting | workspace.pet_registry:LIMIT | ForgetService._recount
memory.search.index_rows | memory.search.index_sync:MAX_BYTES | _rows searchable_heading
memory.search.index_sync | memory.search.index_sync:MAX_BYTES | IndexSync._put_files _lines
memory.__init__ | OURS | read_data
memory.search.query | OURS | _readable
memory.search.embedders | OURS | _numbers
memory.search.transcript_index | memory.search.index_sync:MAX_BYTES | read_lines
model | OURS | texts_of
net.fetch | extras.web_pages.tool:_MEGABYTES | _header
net.web_address | net.web_address:LONGEST | read_web_address
extras.small_models.prompts | providers.accumulator:MAX_REPLY | parse_answer
providers.anthropic_provider | providers.bounded_transport:MAX_EVENT | AnthropicProvider._post_nothing
providers.http_provider | providers.bounded_transport:MAX_EVENT | _events _server_sent json_body
providers.inline_markup | providers.accumulator:MAX_REPLY | InlineMarkup._pairs _value
providers.model_facts | providers.bounded_transport:MAX_EVENT | _Questions._get
providers.bounded_transport | providers.bounded_transport:MAX_EVENT | _Zlib.__init__ _Zlib.unpack
providers.model_server | providers.bounded_transport:MAX_EVENT | model_ids
providers.openai_provider | providers.bounded_transport:MAX_EVENT | OpenAIProvider._send
providers.sanitize | providers.accumulator:MAX_REPLY | parse_arguments
serde | serde:MAX_MESSAGE | parse
services.file_transfer | services.file_transfer:_LONGEST_PIECE | decode_chunks data_address
bridge.reply_links | net.web_address:LONGEST | _as_written
settings.api_keys | settings.store:_MAX_BYTES | KeyStore._stored
settings.program_state | settings.store:_MAX_BYTES | JsonState._content JsonState._stored _read_machine
settings.store | settings.store:_MAX_BYTES | _normalise_connections _read_bytes read_settings_file _parse
extras.reading_aloud.speech | OURS | ChildSpeaker._listen
extras.reading_aloud.speech_child | CHILD | _read
extras.skins.importer | extras.skins.importer:ZIP_BYTES | SkinZip.__init__ pack
extras.skins.codex_manifest | extras.skins.importer:_BYTES | read_manifest
extras.skins.image_sets | extras.skins.importer:_BYTES | read_skin_json
extras.skins.importer | extras.skins.importer:ONE_PICTURE_BYTES | _submission _text _PictureLoader.load
extras.skins.sprite_sheet | extras.skins.codex_manifest:SHEET_BYTES | _opened
extras.skins.library | extras.skins.importer:UNPACKED_BYTES | read_file
skins.shelf | OURS | SkinShelf.still
tools.tool_arguments | providers.accumulator:MAX_REPLY | decode_arguments
tools.toolset | providers.accumulator:MAX_REPLY | run_call
transcripts.closings | transcripts.closings:_LONGEST | _recorded
transcripts.entry_codec | serde:MAX_MESSAGE | _value_of _repeats_key decode_lines
transcripts.jsonl_file | serde:MAX_MESSAGE | _is_whole
transcripts.redact | serde:MAX_MESSAGE | _LineRedactor._in_words _LineRedactor._without _parsed _torn_holds
transcripts.redact | serde:MAX_MESSAGE | _unescaped
transcripts.redact | WHOLE | _read
transcripts.search | transcripts.jsonl_file:LARGEST | _in_conversation
transcripts.search | serde:MAX_MESSAGE | _may_hold
transcripts.transcript | serde:MAX_MESSAGE | Transcript._append_lost Transcript._write _read _began_by
workspace.images | workspace.attachments:MAX_FILE | _opened
untrusted.images | workspace.images:MAX_PIXELS | _content
untrusted.parsers | OWNER | decode_foreign_text
untrusted.parsers | serde:MAX_MESSAGE | read_json read_json_object join_surrogates read_toml read_toml_document
untrusted.regular_files | workspace.attachments:MAX_FILE | read_regular
workspace.attachments | workspace.attachments:MAX_FILE | Attachments._gated_versions Attachments._marked
workspace.attachments | workspace.attachments:MAX_FILE | Attachments._referenced _ComparableText.of _text
workspace.attachments | workspace.attachments:MAX_FILE | described
workspace.file_history | workspace.pet_registry:LIMIT | _apply
workspace.text_encoding | workspace.pet_registry:LIMIT | decode_text
workspace.pet_toml | workspace.pet_registry:LIMIT | instructions_answer
workspace.pet_registry | workspace.pet_registry:LIMIT | require_known_folder
workspace.pet_toml | workspace.pet_registry:LIMIT | read_values _parse _name_in_soul _text rename_folder
workspace.pet_zip | extras.imports.packed_pet:_MAX_SHOWN | _zip
workspace.pets | workspace.pet_registry:LIMIT | _folded
workspace.skills | workspace.skills:MAX_BYTES | _fields
workspace.store | workspace.pet_registry:LIMIT | _receipt
workspace.tombstones | workspace.tombstones:_LIMIT | SearchPatterns.matches_bytes _read
extras.our_days.commands | OURS | _address
extras.belongings.windows | OURS | BelongingView.__init__
extras.belongings.windows | OURS | BelongingView.outline
"""
TAKERS: dict[str, str] = {
    f"{module}:{function}": limit
    for module, limit, functions in (row.split(" | ") for row in ROWS.strip().split("\n"))
    for function in functions.split()
}
"""The limit of each function, ``module:qualified name``."""
