// Imports the URLSession that is tested. Other files are symbolic links to files of Retriever's tests.
@_exported import FoundationNetworking
