// The entry point for libFuzzer. scripts/fuzz builds this file with the parsers of challenges.
import Foundation

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let text = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  let offers = AuthenticateOffer.parse(text.components(separatedBy: "\n"))
  precondition(offers.count <= AuthenticateOffer.maximumOffers, "there are too many offers")
  for offer in offers {
    precondition(
      offer.parameters.count <= AuthenticateOffer.maximumParameters, "there are too many parameters")
    guard let challenge = DigestChallenge(offer) else { continue }
    let session = DigestSession(challenge)
    let request = DigestSession.Request(method: "GET", target: "/") { Digests.hash($0, []) }
    guard let proof = session.proof(user: "u\"ser", password: text, for: request) else { continue }
    let field = proof.fieldValue
    precondition(
      !field.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "the answer contains a line end")
    let sent = AuthenticateOffer.parse([field])
    precondition(sent.count == 1, "the answer is not one answer")
    precondition(sent[0].parameters["nonce"] == challenge.nonce, "the answer has another nonce")
    precondition(sent[0].parameters["realm"] == challenge.realm, "the answer has another realm")
    _ = proof.isConfirmed(by: [text])
    precondition(!session.nonce.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a nonce has a line end")
  }
  return 0
}
