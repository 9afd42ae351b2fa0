#if !canImport(Darwin)
import Retriever
import Testing

struct AuthenticationOfferParsingTests {
  @Test func oneChallengeWithQuotedAndPlainParametersIsRead() {
    let offers = AuthenticateOffer.parse([#"Basic realm="dogs, and \"cats\"", charset=UTF-8"#])
    #expect(
      offers == [
        AuthenticateOffer(scheme: "basic", parameters: ["realm": #"dogs, and "cats""#, "charset": "UTF-8"])
      ])
  }

  @Test func `several challenges in one field are separated`() {
    let offers = AuthenticateOffer.parse([
      #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#
    ])
    #expect(offers.map(\.scheme) == ["newauth", "basic"])
    #expect(offers.map(\.realm) == ["apps", "simple"])
    #expect(offers.first?.parameters["title"] == #"Login to "apps""#)
  }

  @Test func everyFieldLineIsRead() {
    let offers = AuthenticateOffer.parse([
      "Negotiate", #"Digest realm="r", nonce="n", qop="auth,auth-int""#,
    ])
    #expect(offers.map(\.scheme) == ["negotiate", "digest"])
    #expect(offers.last?.parameters["qop"] == "auth,auth-int")
  }

  @Test func aParameterDoesNotContinueAnotherFieldLine() {
    let offers = AuthenticateOffer.parse(["Basic", #"realm="stray""#])
    #expect(offers == [AuthenticateOffer(scheme: "basic")])
  }

  @Test func `a token68 is not parsed as a parameter`() {
    let offers = AuthenticateOffer.parse(["Negotiate YII+/a==, Basic realm=x", "NTLM TlRM="])
    #expect(offers.map(\.scheme) == ["negotiate", "basic", "ntlm"])
    #expect(offers.map(\.token68) == ["YII+/a==", nil, "TlRM="])
    #expect(offers.map(\.realm) == [nil, "x", nil])
  }

  @Test func `names are lowercased and the first of two equal parameters is used`() {
    let offers = AuthenticateOffer.parse([#"BASIC REALM="first", realm="second""#])
    #expect(offers == [AuthenticateOffer(scheme: "basic", parameters: ["realm": "first"])])
  }

  @Test(arguments: [
    #"Basic realm = "spaced""#, #",, Basic  realm="spaced" ,"#, "Basic\trealm=\"spaced\"",
    #"Basic , realm="spaced""#, #"=, Basic realm="spaced""#, #"@@@, Basic realm="spaced""#,
    #"Basic realm="spaced"#,
  ])
  func `malformed fields are still parsed`(_ field: String) {
    #expect(AuthenticateOffer.parse([field]).map(\.realm) == ["spaced"])
  }

  @Test(arguments: [
    "", " ", ",", "=", "\"", "\\", "Basic =", "Basic realm=", "Basic realm=\"", "Basic realm=\"\\", "\u{0}",
    "Basic realm=\"\u{0}\u{FF}\"", "a=b", "===", "Basic realm=\"x\"\"y\"",
  ])
  func noFieldTraps(_ field: String) {
    let offers = AuthenticateOffer.parse([field])
    #expect(offers.count <= 2)
  }

  @Test func `a very long list of offers is truncated`() {
    let field = Array(repeating: "Basic", count: 100_000).joined(separator: ",")
    let offers = AuthenticateOffer.parse([field, field])
    #expect(!offers.isEmpty && offers.count <= 32)
  }

  @Test func basicEncodesUserAndPasswordAsUTF8() {
    #expect(
      BasicAuthorization.fieldValue(user: "Aladdin", password: "open sesame")
        == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(BasicAuthorization.fieldValue(user: "test", password: "123£") == "Basic dGVzdDoxMjPCow==")
  }
}
#endif
