// The module that scripts/overlay builds. Packages that import FoundationNetworking get Retriever instead.
import Foundation
@_exported @_spi(FoundationOverlay) import Retriever

/// Foundation looks for this class by its name when `NSData(contentsOf:)` or `NSString(contentsOf:)` gets a URL that is
/// not a file URL.
@usableFromInline
final class _NSNonfileURLContentLoader: _NSNonfileURLContentLoading, Sendable {
  @usableFromInline required init() {}

  @usableFromInline func contentsOf(url: URL) throws -> (result: NSData, textEncodingNameIfAvailable: String?)
  {
    let (data, response) = try RemoteContents.load(url)
    return (NSData(data: data), response.textEncodingName)
  }
}
