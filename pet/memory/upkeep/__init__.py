"""Planning how an overfull MEMORY.md is shortened, entry by entry. Pure; the engine carries the plan out."""
