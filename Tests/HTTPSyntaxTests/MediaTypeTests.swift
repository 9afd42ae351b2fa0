import HTTPSyntax
import Testing

@Suite struct MediaTypeTests {
  @Test(arguments: [
    ("dog.jpg", "image/jpeg"), ("dog.jpeg", "image/jpeg"), ("dog.JPE", "image/jpeg"),
    ("a.b.png", "image/png"),
    ("folder/page.HTM", "text/html"), ("folder.gif/list.csv", "text/csv"), ("notes.log", "text/plain"),
    ("folder/dog.webp/", "image/webp"), ("..txt", "text/plain"),
  ])
  func `a file name's extension names its type, in any case`(name: String, type: String) {
    #expect(MediaType.type(ofFile: name) == type)
  }

  @Test(arguments: [
    "", "/", "dog", ".png", "folder/.png", "folder.png/dog", "dog.", "dog.unknown", "dog.png ", "png",
    "dog.png.",
  ])
  func `a missing or unknown extension names no type`(name: String) {
    #expect(MediaType.type(ofFile: name) == nil)
  }

  @Test(arguments: [
    ("image/jpeg", "jpeg"), ("text/html", "html"), ("text/plain", "txt"), ("video/quicktime", "mov"),
    ("application/javascript", "js"), ("text/javascript", "js"), ("text/xml", "xml"),
    ("application/xml", "xml"),
  ])
  func `a type has its preferred extension, under its older names too`(type: String, ending: String) {
    #expect(MediaType.ending(of: type) == ending)
  }

  @Test(arguments: ["", "image", "image/unknown", "jpeg", "application/octet-stream"])
  func `an unknown type has no extension`(type: String) {
    #expect(MediaType.ending(of: type) == nil)
  }

  @Test(arguments: [
    "image/avif", "image/bmp", "image/gif", "image/heic", "image/jpeg", "image/png", "image/svg+xml",
    "image/tiff",
    "image/webp", "application/gzip", "application/json", "application/pdf", "application/zip", "audio/mpeg",
    "font/woff2", "text/calendar", "text/css", "text/markdown", "video/mp4", "video/webm",
  ])
  func `a file with a type's extension has that type`(type: String) throws {
    let ending = try #require(MediaType.ending(of: type))
    #expect(MediaType.type(ofFile: "file." + ending) == type)
  }
}
