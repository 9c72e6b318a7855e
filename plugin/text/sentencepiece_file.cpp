#include "plugin/text/sentencepiece_file.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"

#include <cstring>
#include <optional>

namespace lowtide::models {

namespace {

/// Numbers of fields in sentencepiece_model.proto.
enum Field : uint64_t {
    kPieces = 1,
    kTrainer = 2,
    kNormalizer = 3,
    kPieceText = 1,
    kPieceScore = 2,
    kModelType = 3,
    kUnknownId = 40,
    kCharacterMap = 2
};

constexpr uint64_t kUnigram = 1;
constexpr int64_t kMostSentinels = 1 << 16;

/// The fields of one message of protocol buffers, one after the other.
class MessageReader {
public:
    struct Value {
        uint64_t field = 0;
        uint64_t number = 0;     ///< a varint, or the bits of a fixed one
        std::string_view bytes;  ///< of a text or message
    };

    MessageReader(std::string_view message, const std::string& what)
        : left_(message), what_(what) {}

    std::optional<Value> next() {
        if (left_.empty()) {
            return std::nullopt;
        }
        const uint64_t key = varint();
        Value value{.field = key >> 3, .number = 0, .bytes = {}};
        switch (key & 7U) {
            case 0:
                value.number = varint();
                break;
            case 1:
                value.number = fixed(8);
                break;
            case 2:
                value.bytes = taken(varint());
                break;
            case 5:
                value.number = fixed(4);
                break;
            default:
                refuse();
        }
        return value;
    }

private:
    [[noreturn]] void refuse() const {
        throw Error(ErrorKind::Corrupt,
                    what_ + " is cut off, or no model of sentencepiece",
                    "get the tokenizer's files again");
    }

    std::string_view taken(uint64_t count) {
        if (count > left_.size()) {
            refuse();
        }
        const std::string_view bytes = left_.substr(0, static_cast<size_t>(count));
        left_.remove_prefix(static_cast<size_t>(count));
        return bytes;
    }

    uint64_t fixed(size_t size) {
        uint64_t number = 0;
        std::memcpy(&number, taken(size).data(), size);
        return number;
    }

    uint64_t varint() {
        uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(taken(1).front());
            number |= static_cast<uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80) {
                return number;
            }
        }
        refuse();
    }

    std::string_view left_;
    const std::string& what_;
};

UnigramPiece pieceOf(std::string_view message, const std::string& what) {
    UnigramPiece piece;
    MessageReader reader(message, what);
    while (const auto value = reader.next()) {
        if (value->field == kPieceText) {
            piece.text = value->bytes;
        } else if (value->field == kPieceScore) {
            const auto bits = static_cast<uint32_t>(value->number);
            float score = 0;
            std::memcpy(&score, &bits, sizeof(score));
            piece.score = score;
        }
    }
    if (!isValidUtf8(piece.text)) {
        throw Error(ErrorKind::Corrupt,
                    what + " has a piece that is no UTF-8",
                    "get the tokenizer's files again");
    }
    return piece;
}

void readTrainer(std::string_view message, const std::string& what, SentencePieces& read) {
    MessageReader reader(message, what);
    while (const auto value = reader.next()) {
        if (value->field == kUnknownId) {
            read.unknown = static_cast<int64_t>(value->number);
        } else if (value->field == kModelType && value->number != kUnigram) {
            throw Error(ErrorKind::Unsupported,
                        what + " is no unigram model, the only kind that is built",
                        "use a checkpoint with another tokenizer");
        }
    }
}

}  // namespace

SentencePieces readSentencePieces(std::string_view bytes, const std::string& what) {
    SentencePieces read;
    MessageReader reader(bytes, what);
    while (const auto value = reader.next()) {
        if (value->field == kPieces) {
            read.pieces.push_back(pieceOf(value->bytes, what));
        } else if (value->field == kTrainer) {
            readTrainer(value->bytes, what, read);
        } else if (value->field == kNormalizer) {
            MessageReader normalizer(value->bytes, what);
            while (const auto setting = normalizer.next()) {
                if (setting->field == kCharacterMap) {
                    read.characterMap = setting->bytes;
                }
            }
        }
    }
    return read;
}

int64_t sentinelsIn(const Json& settings, const std::string& what) {
    return integerInRange(
        JsonReader(settings, what), "extra_ids", kUsualSentinels, 0, kMostSentinels);
}

}  // namespace lowtide::models
