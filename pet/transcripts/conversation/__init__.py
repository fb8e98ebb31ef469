"""What the records of one conversation say: ``fold`` makes a ``Conversation`` of them, the others read that.

The same records give the same conversation, whatever the order of calls; nothing that was said is dropped. Pure, with
no clock and no file.
"""
