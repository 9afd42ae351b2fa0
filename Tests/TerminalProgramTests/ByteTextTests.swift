import TerminalProgram
import Testing

@Suite struct ByteTextTests {
  @Test func `a size has three digits and a decimal unit`() {
    #expect(ByteText.short(-1) == "0 B")
    #expect(ByteText.short(999) == "999 B")
    #expect(ByteText.short(1_000) == "1.00 kB")
    #expect(ByteText.short(12_345_678) == "12.3 MB")
    #expect(ByteText.short(999_900) == "1.00 MB")
    #expect(ByteText.short(.max) == "9.22 EB")
  }

  @Test func `an exact size and a rate have their words`() {
    #expect(ByteText.exact(0) == "0 bytes" && ByteText.exact(1) == "1 byte")
    #expect(ByteText.exact(1_234_567) == "1234567 bytes")
    #expect(ByteText.rate(1_500) == "1.50 kB/s")
    #expect(ByteText.rate(-1) == "0 B/s" && ByteText.rate(.infinity) == "1.00 EB/s")
  }

  @Test func `a time has minutes and seconds, then hours, then days`() {
    #expect(ByteText.time(-5) == "0:00")
    #expect(ByteText.time(7) == "0:07")
    #expect(ByteText.time(3723) == "1:02:03")
    #expect(ByteText.time(.infinity) == "–:––" && ByteText.time(.nan) == "–:––")
    #expect(ByteText.time(4 * 86_400) == "4d 00h")
  }

  @Test func `a duration below a minute has a fraction`() {
    #expect(ByteText.duration(0.834) == "0.83 s")
    #expect(ByteText.duration(12.34) == "12.3 s")
    #expect(ByteText.duration(60) == "1:00")
  }
}
