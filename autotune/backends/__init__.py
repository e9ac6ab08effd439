"""Back ends: what turns a schedule into something a device runs, one package per kind of device."""
