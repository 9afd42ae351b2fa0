import Foundation
import Synchronization

/// Decoded thumbnails, by resource and form, bounded by the bytes of their pixels.
final class MemoryCache: Sendable {
  struct Key: Sendable, Hashable {
    let resource: ImageResource
    let form: ImageForm

    /// A URL may be much longer than a small thumbnail.
    func cost(of image: UIImage) -> Int { image.memoryCost + resource.identity.utf8.count }
  }

  struct Entry: Sendable {
    let image: UIImage
    let freshness: Freshness
  }

  private struct State: Sendable {
    var entries: LRUCache<Key, Entry>
    /// What there is of a resource: a larger thumbnail may serve.
    var forms: [ImageResource: Set<ImageForm>] = [:]

    mutating func forget(_ key: Key) {
      forms[key.resource]?.remove(key.form)
      if forms[key.resource]?.isEmpty == true { forms[key.resource] = nil }
    }
  }

  private let state: Mutex<State>

  init(limit: Int) { state = Mutex(State(entries: LRUCache(limit: limit))) }

  /// A share of the machine's memory that a program can do without: a sixteenth, at most 256 MiB.
  static var defaultLimit: Int {
    Int(min(ProcessInfo.processInfo.physicalMemory / 16, 256 << 20))
  }

  var cost: Int { state.withLock { $0.entries.cost } }

  func entry(_ resource: ImageResource, _ form: ImageForm) -> Entry? {
    state.withLock { $0.entries.value(for: Key(resource: resource, form: form)) }
  }

  /// The smallest thumbnail that another can be made from and that `isUsable`.
  func source(
    for form: ImageForm, of resource: ImageResource, where isUsable: (Freshness) -> Bool
  ) -> ImageForm? {
    state.withLock { state in
      guard let forms = state.forms[resource] else { return nil }
      let usable = forms.filter {
        state.entries.peek(Key(resource: resource, form: $0)).map { isUsable($0.freshness) } ?? false
      }
      return ThumbnailDerivation.best(of: usable, for: form)
    }
  }

  func insert(_ image: UIImage, _ resource: ImageResource, _ form: ImageForm, _ freshness: Freshness) {
    let key = Key(resource: resource, form: form)
    let entry = Entry(image: image, freshness: freshness)
    state.withLock { state in
      let victims = state.entries.insert(entry, for: key, cost: key.cost(of: image))
      if state.entries.peek(key) != nil { state.forms[resource, default: []].insert(form) }
      for victim in victims { state.forget(victim) }
    }
  }

  /// The server has confirmed what these were made of.
  func renew(_ resource: ImageResource, _ freshness: Freshness) {
    state.withLock { state in
      for form in state.forms[resource] ?? [] {
        let key = Key(resource: resource, form: form)
        guard let image = state.entries.peek(key)?.image else { continue }
        _ = state.entries.insert(
          Entry(image: image, freshness: freshness), for: key, cost: key.cost(of: image))
      }
    }
  }

  /// Another image has taken the place of the one these were made of.
  func remove(_ resource: ImageResource) {
    state.withLock { state in
      for form in state.forms.removeValue(forKey: resource) ?? [] {
        state.entries.remove(Key(resource: resource, form: form))
      }
    }
  }

  func removeAll() {
    state.withLock { state in
      state.entries.removeAll()
      state.forms = [:]
    }
  }
}

extension UIImage {
  /// What it costs to keep: the bytes of its pixels, and a little for everything else.
  var memoryCost: Int {
    switch source {
    case .decoded(let bitmap): bitmap.pixels.count + 256
    default: 256
    }
  }
}
