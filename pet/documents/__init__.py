"""Read documents of other programs as text, page by page, in a child process with limits."""
