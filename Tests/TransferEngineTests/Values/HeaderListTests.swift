import CCurl
import Testing

@testable import TransferEngine

@Suite struct HeaderListTests {
  private func lines(_ headers: [TransferHeader]) throws -> [String] {
    let list = try HeaderList(headers)
    var lines: [String] = []
    var node: UnsafeMutablePointer<curl_slist>? = headers.isEmpty ? nil : list.first
    while let current = node {
      lines.append(String(cString: current.pointee.data))
      node = current.pointee.next
    }
    return lines
  }

  @Test func eachHeaderIsALineInOrder() throws {
    #expect(
      try lines([TransferHeader("A", "b"), TransferHeader("Ünï", "日本語 🐶"), TransferHeader("A", "c")])
        == ["A: b", "Ünï: 日本語 🐶", "A: c"])
  }

  @Test func `a field without a value is sent, and a removed field is not`() throws {
    #expect(try lines([TransferHeader("Empty", ""), .removal(of: "Expect")]) == ["Empty;", "Expect:"])
  }

  @Test(arguments: ["\r", "\n", "\r\n", "\0", "a\r\nEvil: yes", "a\nb"])
  func aLineBreakOrNulIsRefusedInNameAndValue(text: String) {
    let inValue = #expect(throws: TransferFailure.self) { _ = try lines([TransferHeader("A", text)]) }
    #expect(inValue?.code == .badURL)
    let inName = #expect(throws: TransferFailure.self) { _ = try lines([TransferHeader("A\(text)", "b")]) }
    #expect(inName?.code == .badURL)
  }

  @Test func manyAndLongHeadersFit() throws {
    let headers = (0..<2000).map { TransferHeader("Name-\($0)", String(repeating: "v", count: $0)) }
    let lines = try lines(headers)
    #expect(lines.count == 2000)
    #expect(lines[1999] == "Name-1999: " + String(repeating: "v", count: 1999))
  }
}
