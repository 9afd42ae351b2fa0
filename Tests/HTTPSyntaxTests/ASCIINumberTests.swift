import HTTPSyntax
import Testing

@Suite struct ASCIINumberTests {
  @Test func `a number is read from its digits`() {
    for number in [0, 1, 9, 10, 1234, 65_535, 922_337_203_685_477_580, .max] as [Int64] {
      #expect(ASCII.number("\(number)") == number)
      #expect(ASCII.number("\(number)"[...]) == number)
      #expect(ASCII.number("000\(number)") == number)
    }
  }

  @Test(arguments: [
    "9223372036854775808", "9223372036854775810", "9223372036854775816", "10000000000000000000",
    "18446744073709551615", "18446744073709551616", "99999999999999999999",
    String(repeating: "9", count: 1000),
  ])
  func `a number that does not fit into 64 bits has no value`(_ text: String) {
    #expect(ASCII.number(text) == nil)
  }

  @Test(arguments: [
    "", "+1", "-1", "-0", " 1", "1 ", "\t1", "1\n", "1 2", "1_000", "1,000", "1.0", "1e3", "0x1F", "١", "１",
    "1\u{301}", "1\0",
  ])
  func `a sign, a blank or anything else but a digit makes it no number`(_ text: String) {
    #expect(ASCII.number(text) == nil)
  }
}
