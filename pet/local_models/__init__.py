"""Language models that run on this computer: catalogue, files, downloads, and the child process that serves one."""
