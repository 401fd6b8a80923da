// Stands in for the module `vscode` in this folder's tsconfig.json: not a module, so that values and types of the
// editor both fail to compile in code that must run without it.
