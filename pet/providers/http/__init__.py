"""Access to one model server over HTTP, for every protocol: address, proxy, bounded transport, faults."""
