import Foundation
import HTTPService

/// The page of this kennel to show after a visitor has signed in.
package struct ReturnAddress: Sendable, Hashable {
  /// The path and the query.
  let text: String

  /// The first page.
  static let start = ReturnAddress("/")

  private init(_ text: String) { self.text = text }

  /// Creates an address from a value that anyone may have put into a link. An address of another site becomes that of the
  /// first page.
  package init(untrusted text: String?) {
    // “//name” and “/\name” would lead to another host.
    guard let text, text.hasPrefix("/"), !text.hasPrefix("//"), text.utf8.count <= 2000,
      text.utf8.allSatisfy({ 0x21...0x7e ~= $0 && $0 != UInt8(ascii: "\\") })
    else {
      self = .start
      return
    }
    self.init(text)
  }

  /// The page that a request is for. For the sign-in itself, it is the one that the form names.
  init(_ request: HTTPRequest) {
    if request.method == .get, request.path != "/session" {
      self.init(untrusted: request.rawTarget)
    } else {
      self.init(untrusted: request.query("next"))
    }
  }

  /// The address as the value of a query.
  var escaped: String { QueryText.escaped(text) }
}
