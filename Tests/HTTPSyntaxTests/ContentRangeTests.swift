import HTTPSyntax
import Testing

@Suite struct ContentRangeTests {
  @Test(arguments: [
    ("bytes 0-9/100", 0..<10 as Range<Int64>, 100 as Int64?), ("BYTES 5-5/6", 5..<6, 6),
    ("bytes  5-9/* ", 5..<10, nil),
    ("bytes 0-9223372036854775806/9223372036854775807", 0..<Int64.max, Int64.max),
  ])
  func `a part of a body is parsed`(text: String, range: Range<Int64>, length: Int64?) {
    #expect(ContentRange(text)?.range == range)
    #expect(ContentRange(text).map { $0.length == length } == true)
  }

  @Test(arguments: [
    "", "bytes", "bytes */100", "bytes 9-0/100", "bytes 0-100/100", "bytes 0-9", "items 0-9/10",
    "bytes -1-9/10",
    "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775807/9223372036854775807", "bytes 0-9/10/10",
    "bytes 0 - 9/10", "bytes 0-9/", "bytes 0-9/x", "bytes 0-9/99999999999999999999",
  ])
  func `an invalid value is refused`(text: String) {
    #expect(ContentRange(text) == nil)
  }
}
