import CCurl
import Testing

@testable import TransferEngine

@Suite struct TransferFailureTests {
  @Test(arguments: [
    "Unsupported proxy syntax in 'http://user:secret@[': Bad IPv6 address",
    "Unsupported proxy scheme for 'gopher://user:secret@host'",
  ])
  func `no error message contains the password of a proxy`(text: String) throws {
    let easy = try Curl.makeEasy()
    defer { Curl.free(easy: easy) }
    let failure = TransferFailure(curl: CURLE_COULDNT_RESOLVE_PROXY, easy: easy, text: text)
    #expect(!failure.message.contains("secret"))
    #expect(failure.message.contains("proxy"))
  }

  @Test func `libcurl's error message is used if there is one`() throws {
    let easy = try Curl.makeEasy()
    defer { Curl.free(easy: easy) }
    let text = "Could not resolve host: nowhere.invalid"
    #expect(TransferFailure(curl: CURLE_COULDNT_RESOLVE_HOST, easy: easy, text: text).message == text)
    #expect(!TransferFailure(curl: CURLE_COULDNT_RESOLVE_HOST, easy: easy, text: "").message.isEmpty)
  }
}
