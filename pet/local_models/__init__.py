"""Language models that run on this machine: catalogue, files, downloads, and the child process that serves one."""
