import CCurl
import Glibc

/// A request's header lines in libcurl's format: one block of memory with list nodes and text.
///
/// libcurl only reads the list, so one allocation can replace two for each line.
struct HeaderList: ~Copyable {
  let first: UnsafeMutablePointer<curl_slist>

  /// Throws if a name or value contains a line break or a NUL character.
  init(_ headers: [TransferHeader]) throws(TransferFailure) {
    var textLength = 0
    for header in headers {
      guard header.name.isOneLine, header.value.isOneLine else { throw .brokenField(header.name) }
      textLength += header.name.utf8.count + header.value.utf8.count + 3
    }
    let nodes = MemoryLayout<curl_slist>.stride * headers.count
    let block = CurlFault.shouldFail(.makeHeaderList) ? nil : malloc(max(1, nodes + textLength))
    guard let block else { throw TransferFailure(.outOfMemory, message: "Out of memory.") }
    first = block.bindMemory(to: curl_slist.self, capacity: headers.count)
    var text = (block + nodes).bindMemory(to: CChar.self, capacity: textLength)
    for (index, header) in headers.enumerated() {
      let line = text
      Self.append(header.name, to: &text)
      // "Name;" makes libcurl send a field without a value; "Name:" makes it leave the field out.
      if header.value.isEmpty {
        Self.append(header.isRemoval ? ":" : ";", to: &text)
      } else {
        Self.append(": ", to: &text)
        Self.append(header.value, to: &text)
      }
      text.pointee = 0
      text += 1
      let next = index + 1 < headers.count ? first + (index + 1) : nil
      (first + index).initialize(to: curl_slist(data: line, next: next))
    }
  }

  /// Creates a list of lines as they are. They must not contain line breaks.
  init(lines: [String]) throws(TransferFailure) {
    let textLength = lines.reduce(0) { $0 + $1.utf8.count + 1 }
    let nodes = MemoryLayout<curl_slist>.stride * lines.count
    guard let block = malloc(max(1, nodes + textLength)) else {
      throw TransferFailure(.outOfMemory, message: "Out of memory.")
    }
    first = block.bindMemory(to: curl_slist.self, capacity: lines.count)
    var text = (block + nodes).bindMemory(to: CChar.self, capacity: textLength)
    for (index, content) in lines.enumerated() {
      let line = text
      Self.append(content, to: &text)
      text.pointee = 0
      text += 1
      let next = index + 1 < lines.count ? first + (index + 1) : nil
      (first + index).initialize(to: curl_slist(data: line, next: next))
    }
  }

  deinit { free(first) }

  private static func append(_ string: String, to text: inout UnsafeMutablePointer<CChar>) {
    for byte in string.utf8 {
      text.pointee = CChar(bitPattern: byte)
      text += 1
    }
  }
}

extension TransferHeader {
  /// Makes libcurl leave out a field that it would add itself.
  static func removal(of name: String) -> TransferHeader {
    var header = TransferHeader(name, "")
    header.isRemoval = true
    return header
  }
}

extension TransferFailure {
  static func brokenField(_ name: String) -> TransferFailure {
    TransferFailure(
      .badURL, message: "The header field “\(name.prefix(40))” contains a line break or a NUL character.")
  }
}

extension String {
  /// Whether the text has no line break and no NUL character.
  var isOneLine: Bool { utf8.allSatisfy { $0 != 13 && $0 != 10 && $0 != 0 } }
}
