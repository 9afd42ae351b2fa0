import CCurl
import Glibc
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

  @Test func `libcurl's message becomes a sentence with advice`() throws {
    let easy = try Curl.makeEasy()
    defer { Curl.free(easy: easy) }
    let text = "Could not resolve host: nowhere.invalid"
    #expect(
      TransferFailure(curl: CURLE_COULDNT_RESOLVE_HOST, easy: easy, text: text).message
        == "Could not find the host nowhere.invalid. Check the spelling.")
  }

  @Test func `each of libcurl's errors is a sentence, also without a message of its own`() throws {
    let easy = try Curl.makeEasy()
    defer { Curl.free(easy: easy) }
    for code in 1..<UInt32(CURL_LAST.rawValue) {
      let message = TransferFailure(curl: CURLcode(rawValue: code), easy: easy, text: "").message
      #expect(message.wholeMatch(of: /[A-Z].*\./) != nil, "\(code): \(message)")
      #expect(!message.contains("..") && !message.contains(": ."), "\(code): \(message)")
    }
  }

  @Test(
    arguments: [
      (
        TransferFailure.Code.cannotConnect, ECONNREFUSED,
        "Failed to connect to dogs.example port 81 after 3 ms: Couldn't connect to server",
        "Could not connect to dogs.example port 81: Connection refused. Check the address, and whether the server is running."
      ),
      (
        .connectionLost, 0, "Recv failure: Connection reset by peer",
        "The connection to the server was lost: Recv failure: Connection reset by peer. Try again later."
      ),
      (
        .connectionLost, 0, "Empty reply from server",
        "The server closed the connection without a response. Try again."
      ),
      (
        .certificateExpired, 0, "SSL certificate problem: certificate has expired",
        "The server's certificate is not trusted: certificate has expired. Check the clock of this machine, and the dates of the certificate."
      ),
      (
        .timedOut, 0, "SSL connection timeout.\n",
        "The request timed out: SSL connection timeout. Try again later."
      ),
    ])
  func `a message says what happened, why, and what to do`(
    code: TransferFailure.Code, number: Int32, detail: String, message: String
  ) {
    #expect(FailureText.sentences(code, detail: detail, systemError: number) == message)
  }
}
