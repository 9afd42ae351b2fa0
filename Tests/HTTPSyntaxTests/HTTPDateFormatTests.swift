import HTTPSyntax
import Testing

@Suite struct HTTPDateFormatTests {
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
      ("THU, 18 AUG 2050 02:01:18 gMT", 2_544_400_878), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    ] as [(String, Int64)])
  func `the three formats of HTTP are parsed`(text: String, seconds: Int64) {
    #expect(HTTPDateFormat.seconds(text) == seconds)
    #expect(HTTPDateFormat.seconds(" \(text)\t") == seconds)
  }

  @Test(arguments: [
    "", "0", "Sun", "Sun,", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST",
    "Thu, 18 Aug 2050 02:01:18 +0000", "Thu, 18 Aug 50 02:01:18 GMT", "Thu 18 Aug 2050 02:01:18 GMT",
    "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18 Aug 2050 02.01.18 GMT",
    "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 8 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 GMT x",
    "Abc, 18 Aug 2050 02:01:18 GMT", "Sun, 18-Aug-50 02:01:18 GMT", "Thu, 31 Feb 2050 02:01:18 GMT",
    "Thu, 29 Feb 1900 02:01:18 GMT", "Thu, 00 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 24:01:18 GMT",
    "Thu, 18 Aug 2050 02:60:18 GMT", "Thu, 18 Aug 2050 02:01:61 GMT", "Thu, 18 Foo 2050 02:01:18 GMT",
    "Thu, 18 Aug 2050 02:01:18", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94", "é",
    "Thu, 99999999999999999999 Aug 2050 02:01:18 GMT",
  ])
  func `other texts and days that do not exist are not dates`(text: String) {
    #expect(HTTPDateFormat.seconds(text) == nil)
  }

  @Test func `a year of two digits is at most the given latest year`() {
    #expect(HTTPDateFormat.seconds("Sunday, 06-Nov-94 08:49:37 GMT", latestYear: 2076) == 784_111_777)
    #expect(HTTPDateFormat.seconds("Sunday, 06-Nov-94 08:49:37 GMT", latestYear: 2094) == 3_939_871_777)
    #expect(HTTPDateFormat.seconds("Thursday, 18-Aug-50 02:01:18 GMT", latestYear: 2076) == 2_544_400_878)
    #expect(HTTPDateFormat.seconds("Monday, 18-Aug-76 02:01:18 GMT", latestYear: 2076) == 3_364_941_678)
  }
}
