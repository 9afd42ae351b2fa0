// The URLSession under test. The files beside this one that name no library are compiled, by symbolic link, against
// FoundationNetworking as well; so the import stands here alone and is exported to them.
@_exported import Retriever
