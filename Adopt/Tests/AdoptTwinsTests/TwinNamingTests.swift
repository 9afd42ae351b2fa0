import Testing

@testable import AdoptTwins

struct TwinNamingTests {
  private func name(_ text: String, handlers: [Int], _ naming: TwinNaming) -> String {
    let parts = text.dropLast().split(separator: "(", omittingEmptySubsequences: false)
    let labels = (parts.last ?? "").split(separator: ":").map(String.init)
    return naming.name(of: FunctionName(base: String(parts[0]), labels: labels), handlers: handlers)
      .description
  }

  @Test(
    arguments: [
      ("getImage(for:completion:)", 1, "getImage(for:)"),
      ("fetchAsynchronously(completion:)", 0, "fetchAsynchronously()"),
      ("fetchWithCompletion(_:)", 0, "fetchWithCompletion()"),
      ("load(_:completion:queue:)", 1, "load(_:queue:)"),
    ])
  func `handwritten names keep their base`(old: String, handler: Int, new: String) {
    #expect(name(old, handlers: [handler], .handwritten) == new)
  }

  @Test func `both handlers of a pair are removed from the name`() {
    #expect(name("load(id:success:failure:)", handlers: [1, 2], .handwritten) == "load(id:)")
  }

  @Test(
    arguments: [
      ("fetchWithCompletion(_:)", "fetch()"),
      ("fetchWithCompletionHandler(_:)", "fetch()"),
      ("fetchWithCompletionBlock(_:)", "fetch()"),
      ("fetchWithBlock(_:)", "fetch()"),
      ("fetchWithReply(_:)", "fetch()"),
      ("fetchWithReplyTo(_:)", "fetch()"),
      ("fetch(completionHandler:)", "fetch()"),
      ("getImage(completion:)", "image()"),
      ("getURL(completion:)", "url()"),
      ("getURLs(completion:)", "urls()"),
      ("getURLSession(completion:)", "urlSession()"),
      ("getUTF8Data(completion:)", "utf8Data()"),
      ("getter(completion:)", "getter()"),
      ("get(completion:)", "get()"),
      ("loadAsynchronously(completion:)", "load()"),
      ("getImageAsynchronously(completion:)", "image()"),
      ("Asynchronously(completion:)", "asynchronously()"),
      ("WithCompletion(_:)", "withCompletion()"),
      ("getInit(completion:)", "getInit()"),
      ("getSelf(completion:)", "getSelf()"),
    ])
  func `names with a single handler are equal to the importer's`(old: String, new: String) {
    #expect(name(old, handlers: [0], .imported) == new)
  }

  @Test(
    arguments: [
      ("getImage(for:completion:)", "image(for:)"),
      ("getURLForName(_:completion:)", "url(forName:)"),
      ("getImageInRect(_:completion:)", "image(inRect:)"),
      ("getForUser(_:completion:)", "forUser(_:)"),
      ("save(_:thenCloseWithCompletion:)", "saveThenClose(_:)"),
      ("save(_:withCompletion:)", "save(_:)"),
      ("fetchAsynchronously(with:completion:)", "fetch(with:)"),
    ])
  func `names with the handler as the last parameter are equal to the importer's`(old: String, new: String) {
    #expect(name(old, handlers: [1], .imported) == new)
  }

  @Test(
    arguments: [
      ("getURLForName", ["get", "URL", "For", "Name"]), ("URLs", ["URLs"]), ("URLIs", ["URL", "Is"]),
      ("UTF8Data", ["UTF", "8", "Data"]), ("snake_case", ["snake", "_", "case"]), ("", []), ("A", ["A"]),
      ("aB", ["a", "B"]), ("AB", ["AB"]), ("HTTPRequest", ["HTTP", "Request"]),
    ])
  func `names are split into words`(name: String, words: [String]) {
    #expect(CamelCase.words(of: name) == words)
  }
}
