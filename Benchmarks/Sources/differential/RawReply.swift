import Foundation

/// A scripted reply: its bytes, and how the server ends it.
struct RawReply: Sendable {
  enum Ending: Sendable {
    /// The server closes the connection.
    case close
    /// The server keeps the connection open until the client closes it. The client must recognise the end itself.
    case hold
  }

  /// The topic of the reply, and the heading of its differences.
  var area: String
  /// The name within the area.
  var name: String
  var method = "GET"
  var bytes: [UInt8]
  var ending = Ending.close

  init(_ area: String, _ name: String, method: String = "GET", _ bytes: [UInt8], _ ending: Ending = .close) {
    self.area = area
    self.name = name
    self.method = method
    self.bytes = bytes
    self.ending = ending
  }

  init(_ area: String, _ name: String, method: String = "GET", _ text: String, _ ending: Ending = .close) {
    self.init(area, name, method: method, Array(text.utf8), ending)
  }

  /// The identifier for judgements.
  var identifier: String { "\(area): \(name)" }

  /// Returns a name from a text: line ends and control characters become visible symbols.
  static func visible(_ text: String) -> String {
    var shown = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\r"): shown += "␍"
      case UInt8(ascii: "\n"): shown += "␊"
      case UInt8(ascii: "\t"): shown += "␉"
      case 0: shown += "␀"
      case 1..<32, 127...: shown += "⟨" + String(byte, radix: 16) + "⟩"
      default: shown.append(Character(UnicodeScalar(byte)))
      }
    }
    // A space at the start or end would be invisible.
    if shown.hasPrefix(" ") { shown = "␠" + shown.dropFirst() }
    if shown.hasSuffix(" ") { shown = shown.dropLast() + "␠" }
    return shown.isEmpty ? "nothing" : shown
  }
}

extension [RawReply] {
  /// Every reply of the run.
  static var all: [RawReply] {
    statusLines + fieldSyntax + controlCharacters + lineEnds + lengths + framings + chunks + trailers
      + interims
      + codings + withoutBody + versions + cuts + excess + large
  }
}
