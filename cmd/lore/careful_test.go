package main

import (
	cruxscripted "lore/datasets/crux/build/scripted"
	long2ragscripted "lore/datasets/long2rag/build/scripted"
	msrsscripted "lore/datasets/msrs/build/scripted"
	summhayscripted "lore/datasets/summhay/build/scripted"
	"lore/local/ollama/ollamatest"
)

// careful is a server's model that answers the prompts of builds as a careful model
// would, and all others with something plausible.
var careful = ollamatest.Playing(cruxscripted.Careful, long2ragscripted.Careful, msrsscripted.Careful, summhayscripted.Careful)
