#if !canImport(Darwin)
import Foundation
import Testing
import TestSupport

@testable import Retriever

@Suite struct CacheControlTests {
  @Test func `directives are found without regard to case, on one line or several`() {
    let control = CacheControl(["No-Store, MAX-age=60", "Public"])
    #expect(control.contains("no-store") && control.contains("public") && !control.contains("private"))
    #expect(control.seconds("max-age") == 60)
  }

  @Test(arguments: [
    ("max-age=60", 60), ("max-age=\"60\"", 60), ("max-age=0060", 60), ("max-age=0", 0),
    ("max-age=2147483648", 2_147_483_648), ("max-age=99999999999", 2_147_483_648),
    ("max-age=99999999999999999999999999", 2_147_483_648),
    ("foo, max-age=60", 60), (",, ,max-age=60,,", 60), ("max-age=60;foo", 0),
  ])
  func `seconds are read with and without quotation marks, and have a maximum`(text: String, seconds: Int64) {
    #expect(CacheControl([text]).seconds("max-age") == seconds)
  }

  @Test(arguments: [
    "max-age", "max-age=", "max-age=\"\"", "max-age=-1", "max-age=1.5", "max-age=60a", "max-age=a60",
    "max-age='60'", "max-age =60", "max-age= 60", "max-age=6 0", "max-age=\"60\" 1", "max-age=\"60",
  ])
  func `an invalid number of seconds is zero`(text: String) {
    #expect(CacheControl([text]).seconds("max-age") == 0)
  }

  @Test func `the first of several values of a directive counts`() {
    #expect(CacheControl(["max-age=1, max-age=60"]).seconds("max-age") == 1)
    #expect(CacheControl(["max-age=60", "max-age=1"]).seconds("max-age") == 60)
  }

  @Test func `a directive in a quoted string is not a directive`() {
    let control = CacheControl([#"extension="max-age=60, no-store", max-age=1"#])
    #expect(control.seconds("max-age") == 1 && !control.contains("no-store"))
    #expect(CacheControl([#"a="\", no-store, \"", public"#]).contains("no-store") == false)
  }

  @Test func `a quotation mark without an end hides no directive`() {
    let control = CacheControl([#"a="b, no-store, max-age=5"#])
    #expect(control.contains("no-store") && control.seconds("max-age") == 5)
    #expect(CacheControl([#"no-store, a="b\"#]).contains("no-store"))
  }

  @Test func `no-cache with field names applies to these fields only`() {
    let control = CacheControl(["no-cache=\"Set-Cookie, X-A\", max-age=5"])
    #expect(!control.isNoCache && control.noCacheFields == ["set-cookie", "x-a"])
    #expect(CacheControl(["no-cache=Set-Cookie"]).noCacheFields == ["set-cookie"])
    for text in [
      "no-cache", "no-cache=\"\"", "no-cache=\"a b\"", "no-cache=\"a\", no-cache", "no-cache =\"a\"",
    ] {
      #expect(CacheControl([text]).isNoCache, "\(text)")
    }
  }

  @Test func `a directive without a value differs from one with a value`() {
    #expect(CacheControl(["max-stale"]).isWithoutValue("max-stale"))
    #expect(!CacheControl(["max-stale=5"]).isWithoutValue("max-stale"))
    #expect(!CacheControl(["foo"]).isWithoutValue("max-stale"))
  }

  @Test(arguments: 0..<300) func `any bytes are parsed, and no-store before them is found`(seed: UInt64) {
    var random = SeededRandom(seed)
    let alphabet = Array("\"\\,= \tmaxage-no1290é;'\u{0}")
    let noise = String(
      (0..<Int.random(in: 0..<60, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
    let control = CacheControl(["no-store," + noise])
    #expect(control.contains("no-store"))
    #expect(control.seconds("max-age").map { 0...CacheControl.maximumSeconds ~= $0 } ?? true)
  }

  @Test func `a long field is parsed in linear time`() {
    let field = String(repeating: "a=\"", count: 200_000) + ",no-store"
    let clock = ContinuousClock()
    let time = clock.measure { #expect(CacheControl([field]).contains("no-store")) }
    #expect(time < .seconds(5))
  }
}
#endif
