#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

@Suite struct CookiesDateTests {
  private func date(_ text: String) -> Date? {
    let fields = ["Set-Cookie": "a=b; expires=\(text)"]
    return HTTPCookie.cookies(withResponseHeaderFields: fields, for: URL(string: "https://example.com")!)
      .first?.expiresDate
  }

  @Test(arguments: [
    "Wed, 01 Jan 2020 12:30:00 GMT", "Wed, 01-Jan-2020 12:30:00 GMT", "Wednesday, 01-Jan-20 12:30:00 GMT",
    "Wed Jan  1 12:30:00 2020", "1 January 2020 12:30:00", "2020 JAN 01 12:30:00 UTC",
    "12:30:00 1 jan 2020",
    "Wed, 1 Jan 20 12:30:0 GMT", "Wed, 01 Jan 2020 12:30:00 +0000", "\"Wed, 01 Jan 2020 12:30:00 GMT\"",
  ])
  func readsADateInEveryForm(text: String) {
    #expect(date(text) == Date(timeIntervalSince1970: 1_577_881_800))
  }

  @Test(arguments: [
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0), ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799),
    ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("01 Mar 1900 00:00:00", -2_203_891_200),
    ("01 Jan 69 00:00:00", 3_124_224_000), ("01 Jan 70 00:00:00", 0),
    ("01 Jan 1601 00:00:00", -11_644_473_600),
    ("31 Dec 9999 23:59:59", 253_402_300_799),
  ])
  func countsDaysAsTheCalendarDoes(text: String, seconds: Double) {
    #expect(date(text)?.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: [
    "", "soon", "Wed, 01 Jan 2020", "12:30:00 01 2020", "31 Feb 2020 12:30:00", "29 Feb 1900 00:00:00",
    "01 Jan 1600 00:00:00", "01 Jan 2020 24:00:00", "01 Jan 2020 12:60:00", "01 Jan 2020 12:30:60",
    "00 Jan 2020 12:30:00", "32 Jan 2020 12:30:00", "01 Jan 20200 12:30:00", "01 Jan 2020 123:30:00",
  ])
  func aDateThatDoesNotExistIsIgnored(text: String) {
    #expect(date(text) == nil)
  }
}
#endif
