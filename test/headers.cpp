// Nothing: the target that owns the precompiled headers of all tests needs one source file.
