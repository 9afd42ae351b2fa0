// The URLSession under test; the other files are those of the tests of Retriever, by symbolic link.
@_exported import FoundationNetworking
