#include "plugin/files/pickle.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/readable_bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace lowtide::files {

namespace {

constexpr std::string_view kOrderedDict = "collections OrderedDict";
constexpr uint64_t kOldestProtocol = 2;
constexpr uint64_t kNewestProtocol = 5;
constexpr size_t kLongestGlobal = 256;
constexpr uint32_t kNothing = UINT32_MAX;  ///< a slot of the memo that holds nothing

/// The operations that are read; all others are refused.
enum class Op : uint8_t {
    Mark = '(',
    Stop = '.',
    Float = 'G',
    Int = 'J',
    Int1 = 'K',
    Int2 = 'M',
    None = 'N',
    PersistentId = 'Q',
    Reduce = 'R',
    String = 'T',
    ShortString = 'U',
    Unicode = 'X',
    EmptyList = ']',
    Append = 'a',
    Build = 'b',
    Global = 'c',
    Appends = 'e',
    Get = 'h',
    LongGet = 'j',
    Put = 'q',
    LongPut = 'r',
    SetItem = 's',
    Tuple = 't',
    SetItems = 'u',
    EmptyDict = '}',
    EmptyTuple = ')',
    Protocol = 0x80,
    NewObject = 0x81,
    Tuple1 = 0x85,
    Tuple2 = 0x86,
    Tuple3 = 0x87,
    True = 0x88,
    False = 0x89,
    Long1 = 0x8a,
    ShortUnicode = 0x8c,
    StackGlobal = 0x93,
    Memoize = 0x94,
    Frame = 0x95,
};

class PickleReader {
public:
    PickleReader(std::span<const std::byte> bytes,
                 const std::string& what,
                 std::span<const std::string_view> allowed,
                 const PickleLimits& limits)
        : cursor_(bytes, what), what_(what), allowed_(allowed), limits_(limits) {}

    Pickle read() {
        readProtocol();
        for (Op op = next(); op != Op::Stop; op = next()) {
            const bool isKnown = pushScalar(op) || pushText(op) || makeTuple(op) || fill(op) ||
                                 remember(op) || call(op);
            if (!isKnown) {
                refuseOp(op);
            }
        }
        pickle_.root = pop();
        if (!stack_.empty() || !marks_.empty()) {
            corrupt(message("leaves {} values behind its result", stack_.size()));
        }
        pickle_.bytes = cursor_.position();
        return std::move(pickle_);
    }

private:
    [[noreturn]] void corrupt(const Message& problem) const {
        throw Error(ErrorKind::Corrupt,
                    message("{}: {} (before byte {})", what_, problem, cursor_.position()),
                    message("the file is damaged or incomplete: copy or download it again"));
    }

    [[noreturn]] void unsupported(const Message& problem) const {
        throw Error(
            ErrorKind::Unsupported,
            message("{}: {}", what_, problem),
            message("nothing of it was run; take the safetensors version of the checkpoint"));
    }

    [[noreturn]] void refuseOp(Op op) const {
        const auto code = static_cast<unsigned>(op);
        constexpr std::string_view kHexDigits = "0123456789abcdef";
        unsupported(message("the operation 0x{}{} at byte {} of the pickle is not read here",
                            kHexDigits[code >> 4],
                            kHexDigits[code & 15],
                            cursor_.position() - 1));
    }

    Op next() { return static_cast<Op>(cursor_.number(1)); }

    void readProtocol() {
        const bool isStated = next() == Op::Protocol;
        const uint64_t protocol = isStated ? cursor_.number(1) : 0;
        if (protocol < kOldestProtocol || protocol > kNewestProtocol) {
            unsupported(message("is no pickle of protocol 2 to 5"));
        }
    }

    void charge(size_t count) {
        items_ += count;
        if (items_ > limits_.items) {
            corrupt(message("asks for more than {} entries", limits_.items));
        }
    }

    uint32_t add(PickleValue value) {
        if (pickle_.values.size() >= limits_.values) {
            corrupt(message("asks for more than {} values", limits_.values));
        }
        charge(value.items.size());
        pickle_.values.push_back(std::move(value));
        return static_cast<uint32_t>(pickle_.values.size() - 1);
    }

    bool push(uint32_t index) {
        if (stack_.size() >= limits_.stack) {
            corrupt(message("stacks more than {} values", limits_.stack));
        }
        stack_.push_back(index);
        return true;
    }

    bool push(PickleValue value) { return push(add(std::move(value))); }

    /// Values above the last mark are the only ones that an operation may take.
    size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

    uint32_t pop() {
        if (stack_.size() <= floor()) {
            corrupt(message("takes a value from an empty stack"));
        }
        const uint32_t index = stack_.back();
        stack_.pop_back();
        return index;
    }

    std::vector<uint32_t> popCount(size_t count) {
        if (stack_.size() - floor() < count) {
            corrupt(message("takes a value from an empty stack"));
        }
        const auto from = stack_.end() - static_cast<ptrdiff_t>(count);
        std::vector<uint32_t> positions(from, stack_.end());
        stack_.erase(from, stack_.end());
        return positions;
    }

    std::vector<uint32_t> popMarked() {
        if (marks_.empty()) {
            corrupt(message("takes values from a mark that is not there"));
        }
        std::vector<uint32_t> positions = popCount(stack_.size() - marks_.back());
        marks_.pop_back();
        return positions;
    }

    PickleValue& at(uint32_t index) { return pickle_.values[index]; }

    /// The value on top, which is kept.
    PickleValue& top() {
        const uint32_t index = pop();
        stack_.push_back(index);
        return at(index);
    }

    bool pushInteger(int64_t value) {
        return push(PickleValue{.kind = PickleKind::Integer, .integer = value});
    }

    bool pushLong() {
        const uint64_t count = cursor_.number(1);
        if (count > sizeof(int64_t)) {
            cursor_.skip(count);
            return push(PickleValue{.kind = PickleKind::Other});
        }
        return pushInteger(count == 0 ? 0 : cursor_.signedNumber(static_cast<int>(count)));
    }

    bool pushReal() {
        uint64_t bits = 0;
        for (int i = 0; i < 8; ++i) {
            bits = bits << 8 | cursor_.number(1);  // big-endian
        }
        return push(PickleValue{.kind = PickleKind::Real, .real = std::bit_cast<double>(bits)});
    }

    bool pushScalar(Op op) {
        switch (op) {
            case Op::None:
                return push(PickleValue{});
            case Op::True:
            case Op::False:
                return push(PickleValue{.kind = PickleKind::Bool, .integer = op == Op::True});
            case Op::Int:
                return pushInteger(cursor_.signedNumber(4));
            case Op::Int1:
                return pushInteger(static_cast<int64_t>(cursor_.number(1)));
            case Op::Int2:
                return pushInteger(static_cast<int64_t>(cursor_.number(2)));
            case Op::Long1:
                return pushLong();
            case Op::Float:
                return pushReal();
            default:
                return false;
        }
    }

    bool pushText(Op op) {
        const bool isShort = op == Op::ShortUnicode || op == Op::ShortString;
        if (!isShort && op != Op::Unicode && op != Op::String) {
            return false;
        }
        const uint64_t count = cursor_.number(isShort ? 1 : 4);
        return push(
            PickleValue{.kind = PickleKind::Text, .text = std::string(cursor_.text(count))});
    }

    bool pushTuple(std::vector<uint32_t> items) {
        return push(PickleValue{.kind = PickleKind::Tuple, .items = std::move(items)});
    }

    bool makeTuple(Op op) {
        switch (op) {
            case Op::EmptyTuple:
                return pushTuple({});
            case Op::Tuple1:
                return pushTuple(popCount(1));
            case Op::Tuple2:
                return pushTuple(popCount(2));
            case Op::Tuple3:
                return pushTuple(popCount(3));
            case Op::Tuple:
                return pushTuple(popMarked());
            default:
                return false;
        }
    }

    bool append(PickleKind kind, const std::vector<uint32_t>& added) {
        PickleValue& target = top();
        if (target.kind != kind || (kind == PickleKind::Dict && added.size() % 2 != 0)) {
            corrupt(message("puts entries into what is no list or dict"));
        }
        charge(added.size());
        target.items.insert(target.items.end(), added.begin(), added.end());
        return true;
    }

    bool fill(Op op) {
        switch (op) {
            case Op::EmptyList:
                return push(PickleValue{.kind = PickleKind::List});
            case Op::EmptyDict:
                return push(PickleValue{.kind = PickleKind::Dict});
            case Op::Append:
                return append(PickleKind::List, popCount(1));
            case Op::SetItem:
                return append(PickleKind::Dict, popCount(2));
            case Op::Appends:
                return append(PickleKind::List, popMarked());
            case Op::SetItems:
                return append(PickleKind::Dict, popMarked());
            default:
                return false;
        }
    }

    bool put(uint64_t index) {
        if (index >= limits_.memo) {
            corrupt(message("remembers a value at position {}", index));
        }
        if (memo_.size() <= index) {
            memo_.resize(static_cast<size_t>(index) + 1, kNothing);
        }
        const uint32_t value = pop();
        stack_.push_back(value);
        memoCount_ += memo_[static_cast<size_t>(index)] == kNothing ? 1 : 0;
        memo_[static_cast<size_t>(index)] = value;
        return true;
    }

    bool get(uint64_t index) {
        if (index >= memo_.size() || memo_[static_cast<size_t>(index)] == kNothing) {
            corrupt(message("recalls position {}, where nothing is remembered", index));
        }
        return push(memo_[static_cast<size_t>(index)]);
    }

    bool remember(Op op) {
        switch (op) {
            case Op::Mark:
                if (marks_.size() >= limits_.stack) {
                    corrupt(message("sets too many marks"));
                }
                marks_.push_back(stack_.size());
                return true;
            case Op::Put:
                return put(cursor_.number(1));
            case Op::LongPut:
                return put(cursor_.number(4));
            case Op::Memoize:
                return put(memoCount_);
            case Op::Get:
                return get(cursor_.number(1));
            case Op::LongGet:
                return get(cursor_.number(4));
            case Op::Frame:
                cursor_.skip(8);  // its length only helps readers of streams
                return true;
            default:
                return false;
        }
    }

    bool pushGlobal(std::string_view module, std::string_view name) {
        const std::string global = std::string(module.substr(0, kLongestGlobal)) + " " +
                                   std::string(name.substr(0, kLongestGlobal));
        if (std::find(allowed_.begin(), allowed_.end(), global) == allowed_.end()) {
            unsupported(
                message("wants to use {}, which no checkpoint's weights need", quotedName(global)));
        }
        return push(PickleValue{.kind = PickleKind::Global, .text = global});
    }

    bool pushStackGlobal() {
        const std::vector<uint32_t> names = popCount(2);
        for (const uint32_t name : names) {
            if (at(name).kind != PickleKind::Text) {
                corrupt(message("names a global by what is no text"));
            }
        }
        return pushGlobal(at(names[0]).text, at(names[1]).text);
    }

    /// OrderedDict(), or OrderedDict([[key, value], ...]) as Python 2 writes it.
    bool pushOrderedDict(uint32_t arguments) {
        PickleValue dict{.kind = PickleKind::Dict};
        if (!at(arguments).items.empty()) {
            const PickleValue& pairs = at(at(arguments).items.front());
            for (const uint32_t pair : pairs.items) {
                const std::vector<uint32_t>& both = at(pair).items;
                if (pairs.kind != PickleKind::List || both.size() != 2) {
                    corrupt(message("makes an OrderedDict from what is no list of pairs"));
                }
                dict.items.insert(dict.items.end(), both.begin(), both.end());
            }
        }
        return push(std::move(dict));
    }

    bool reduce() {
        const uint32_t arguments = pop();
        const uint32_t callee = pop();
        if (at(callee).kind != PickleKind::Global || at(arguments).kind != PickleKind::Tuple) {
            corrupt(message("calls what is no global"));
        }
        if (at(callee).text == kOrderedDict) {
            return pushOrderedDict(arguments);
        }
        return push(
            PickleValue{.kind = PickleKind::Made, .text = at(callee).text, .items = {arguments}});
    }

    /// The state of a dict is left out: it is its _metadata.
    bool build() {
        const uint32_t state = pop();
        PickleValue& object = top();
        if (object.kind != PickleKind::Dict && object.kind != PickleKind::Made) {
            corrupt(message("gives a state to what is no object"));
        }
        if (object.kind == PickleKind::Made) {
            charge(1);
            object.items.push_back(state);
        }
        return true;
    }

    bool call(Op op) {
        switch (op) {
            case Op::Global: {
                const std::string_view module = cursor_.line();
                return pushGlobal(module, cursor_.line());
            }
            case Op::StackGlobal:
                return pushStackGlobal();
            case Op::PersistentId:
                return push(PickleValue{.kind = PickleKind::Persistent, .items = {pop()}});
            case Op::Reduce:
            case Op::NewObject:
                return reduce();
            case Op::Build:
                return build();
            default:
                return false;
        }
    }

    ByteCursor cursor_;
    std::string what_;
    std::span<const std::string_view> allowed_;
    PickleLimits limits_;
    Pickle pickle_;
    std::vector<uint32_t> stack_;
    std::vector<size_t> marks_;
    std::vector<uint32_t> memo_;
    size_t memoCount_ = 0;
    size_t items_ = 0;
};

}  // namespace

Pickle readPickle(std::span<const std::byte> bytes,
                  const std::string& what,
                  std::span<const std::string_view> allowed,
                  const PickleLimits& limits) {
    return PickleReader(bytes, what, allowed, limits).read();
}

}  // namespace lowtide::files
