/// An optional that takes one word while it is nil, for values that most owners never need. With ten thousand waiting
/// transfers, unused storage would waste memory.
///
/// Public, unlike everything else here, because the compiler does not specialize `package` types for other modules.
@propertyWrapper @frozen
public indirect enum Boxed<Value: Sendable>: Sendable {
  case nothing
  case something(Value)

  /// Allocates memory only for a value.
  @inlinable public init(wrappedValue: Value?) {
    self = wrappedValue.map(Self.something) ?? .nothing
  }

  /// The value, if there is one.
  public var wrappedValue: Value? {
    @inlinable get {
      guard case .something(let value) = self else { return nil }
      return value
    }
    @inlinable set { self = Self(wrappedValue: newValue) }
  }
}
