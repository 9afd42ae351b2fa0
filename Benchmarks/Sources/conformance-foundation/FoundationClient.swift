import Foundation
import RetrieverConformance

/// What is FoundationNetworking's own: what it can be told, and what it has not.
enum Library {
  static let name = "FoundationNetworking"

  static func configure(_ configuration: URLSessionConfiguration, _ options: SessionOptions) throws {
    if options.trustedAuthority != nil, !TrustStore.isPrepared {
      throw NotOffered("a way to trust an authority that the system does not")
    }
    if options.maximumBufferedBodySize != nil { throw NotOffered("a limit of the body's size") }
    if options.unixSocketPath != nil { throw NotOffered("Unix-domain sockets") }
    if options.refusesPrivateAddresses { throw NotOffered("an address policy") }
  }

  static func asyncDelegate(_ record: DelegateRecord) throws -> any URLSessionTaskDelegate {
    throw NotOffered("delegates with async methods")
  }

  static func download(
    _ session: URLSession, resumingFrom data: Data, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> (URL, URLResponse) {
    throw NotOffered("download(resumeFrom:delegate:)")
  }

  static func iterate(_ call: Call) async throws {
    throw NotOffered("bytes(for:delegate:)")
  }
}
