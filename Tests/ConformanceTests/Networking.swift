// The URLSession under test. The files in this folder that do not name a library are also compiled against
// FoundationNetworking, by symbolic links. The import is therefore in this file only, which exports it to them.
@_exported import Retriever
