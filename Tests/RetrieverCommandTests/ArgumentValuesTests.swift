import Foundation
import RetrieverImages
import TerminalProgram
import Testing

@testable import RetrieverCommand

@Suite struct ArgumentValuesTests {
  private func parsed(_ option: String, _ value: String) -> ParsedArguments {
    ParsedArguments(command: "get", values: [option: [value]], operands: [])
  }

  @Test func sizesAreTwoSidesOrOne() throws {
    let size = try #require(try parsed("size", "320x200").size("size", most: 4096))
    #expect(size == (320, 200))
    #expect(try #require(try parsed("size", "64").size("size", most: 4096)) == (64, 64))
    for text in ["0x1", "5x", "x5", "1x2x3", "5000x5", "a", ""] {
      #expect(throws: UsageError.self) { try parsed("size", text).size("size", most: 4096) }
    }
  }

  @Test func coloursHaveNamesOrDigits() throws {
    #expect(try parsed("c", "#FFcc00").color("c") == .init(red: 255, green: 204, blue: 0))
    #expect(try parsed("c", "01020304").color("c") == .init(red: 1, green: 2, blue: 3, alpha: 4))
    #expect(try parsed("c", "transparent").color("c")?.alpha == 0)
    for text in ["#fff", "red", "#gggggg", "+12345"] {
      #expect(throws: UsageError.self) { try parsed("c", text).color("c") }
    }
  }

  @Test func aURLWithoutASchemeIsSecureUnlessItIsThisMachine() throws {
    #expect(try ParsedArguments.webURL("kennel.example/a").absoluteString == "https://kennel.example/a")
    #expect(try ParsedArguments.webURL("localhost:80/a").absoluteString == "http://localhost:80/a")
    #expect(try ParsedArguments.webURL("127.0.0.1/").scheme == "http")
    for text in ["ftp://a/", "http://", "", "file:///etc/passwd", "http:///x"] {
      #expect(throws: UsageError.self, "\(text)") { try ParsedArguments.webURL(text) }
    }
  }

  @Test(arguments: ["ftp://ada:secret@a/?token=secret", "ada:secret@"])
  func `an error about a URL does not contain its password`(text: String) {
    let error = #expect(throws: UsageError.self) { try ParsedArguments.webURL(text) }
    #expect(error?.message.contains("is not a valid http or https URL") == true)
    #expect(error?.message.contains("secret") == false)
  }
}
