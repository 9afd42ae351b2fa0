import Foundation
import RetrieverConformance

/// The specifics of FoundationNetworking: its options, and its missing features.
enum Library {
  static let name = "FoundationNetworking"

  static func configure(_ configuration: URLSessionConfiguration, _ options: SessionOptions) throws {
    if options.trustedAuthority != nil, !TrustStore.isPrepared {
      throw NotOffered("custom certificate authorities")
    }
    if options.maximumBufferedBodySize != nil { throw NotOffered("a maximum body size") }
    if options.unixSocketPath != nil { throw NotOffered("Unix-domain sockets") }
    if options.refusesPrivateAddresses { throw NotOffered("an address policy") }
  }

  // There is no server trust to accept.
  static func accepting(_ space: URLProtectionSpace) -> URLCredential? { nil }

  static func asyncDelegate(_ record: DelegateRecord) throws -> any URLSessionTaskDelegate {
    throw NotOffered("delegates with async methods")
  }

  static func download(
    _ session: URLSession, resumingFrom data: Data, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> (URL, URLResponse) {
    throw NotOffered("download(resumeFrom:delegate:)")
  }

  // Both are declared, and marked as not supported.
  static func begin(_ task: URLSessionTask, at date: Date) throws { throw NotOffered("earliestBeginDate") }

  static func becomeDownload() throws -> URLSession.ResponseDisposition { throw NotOffered("becomeDownload") }

  static func streamTask(_ stage: Stage) async throws -> [String] {
    throw NotOffered("stream tasks")
  }

  static func iterate(_ call: Call) async throws {
    throw NotOffered("bytes(for:delegate:)")
  }
}
