# Generated translation units of the energy and constraint lists are added here.
