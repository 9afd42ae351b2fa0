import TestSupport
import Testing

@testable import TransferEngine

@Suite struct AlternativeServiceFieldTests {
  private typealias Service = AlternativeServiceField.Service

  private func services(_ value: String) -> [Service]? { AlternativeServiceField(value)?.services }

  private func day(_ count: Int64) -> Duration { .seconds(count * 86_400) }

  @Test func `alternatives for HTTP/3 are listed in order, with their hosts, ports and ages`() {
    #expect(services(#"h3=":443""#) == [Service(host: "", port: 443, maximumAge: day(1))])
    #expect(
      services(#"h3="Alt.Example:8443"; ma=60, h3=":443";persist=1 ; MA="120""#) == [
        Service(host: "alt.example", port: 8443, maximumAge: .seconds(60)),
        Service(host: "", port: 443, maximumAge: .seconds(120)),
      ])
    #expect(services(#"h3="[2001:DB8::1]:443""#)?.map(\.host) == ["2001:db8::1"])
    #expect(services(#"h3="\:4\43""#)?.map(\.port) == [443])
  }

  @Test func `other protocols and unknown parameters are ignored`() {
    #expect(services(#"h2=":443""#) == [])
    #expect(services(#"h3-29=":443"; ma=1, w%3Dx="a:1", H3=":443""#) == [])
    #expect(services(#"h2=":1", h3=":2"; v="46,43"; x="a\"b", quic=":3""#)?.map(\.port) == [2])
  }

  @Test func `clear lists nothing`() {
    #expect(services("clear") == [])
    #expect(services(" clear\t") == [])
    #expect(services("Clear") == nil)
  }

  @Test func `a maximum age is limited, and one that is no number disables its alternative`() {
    #expect(services(#"h3=":443"; ma=0"#)?.map(\.maximumAge) == [.zero])
    for age in ["2592001", "99999999999999999999999999"] {
      #expect(services(#"h3=":443"; ma=\#(age)"#)?.map(\.maximumAge) == [day(30)], "\(age)")
    }
    for age in ["-1", "1h", "\"\"", "1.5"] {
      #expect(services(#"h3=":443"; ma=\#(age)"#) == [], "\(age)")
    }
  }

  @Test(arguments: [
    "", " ", ",", "h3", "h3=", "h3=443", #"h3=":443"#, #"h3=":443\"#, #"h3=":443" h2=":443""#, #"=":443""#,
    #"h3=":443";"#, #"h3=":443"; ma"#, #"h3=":443"; ma="#, #"h3=":443"; =1"#, #"h3 =":443""#,
    #"h3=":443", clear"#, #"h3=":443"; ma="1"#, "h3=\u{e9}",
  ])
  func `an invalid value is ignored`(value: String) {
    #expect(AlternativeServiceField(value) == nil)
  }

  @Test func `an alternative without a usable port is left out`() {
    for authority in ["", ":", "host", ":0x50", ":65536", ":-1", "a b:443", "[::1:443", "host:"] {
      #expect(services("h3=\"\(authority)\", h3=\":7\"")?.map(\.port) == [7], "\(authority)")
    }
  }

  @Test func `empty members are allowed, and the number and length of values are limited`() {
    #expect(services(#", h3=":1" ,, h3=":2","#)?.map(\.port) == [1, 2])
    let many = (1...40).map { #"h3=":\#($0)""# }.joined(separator: ", ")
    #expect(services(many)?.map(\.port) == Array(1...UInt16(AlternativeServiceField.maximumServices)))
    let long = #"h3=":443"; x=""# + String(repeating: "x", count: AlternativeServiceField.maximumBytes) + "\""
    #expect(services(long) == nil)
  }

  @Test func `arbitrary bytes are parsed or refused, and never end the program`() {
    var random = SeededRandom(3)
    let pieces = ["h3", "=", "\"", ":443", ";", " ", ",", "ma", "1", "\\", "clear", "[", "]", "é", "\u{0}"]
    for _ in 0..<20_000 {
      let value = (0..<Int.random(in: 0..<12, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      _ = AlternativeServiceField(value)
    }
  }
}
