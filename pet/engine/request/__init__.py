"""What one request is made of.

The files' snapshot, prompt, message history, recall, attachments, token estimates.
"""
