#include "plugin/checkpoints/quantised/quantised_layer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

QuantisedLayer::QuantisedLayer(const TensorPlaces& tensors,
                               std::string file,
                               std::string weight,
                               std::string prefix)
    : tensors_(tensors),
      file_(std::move(file)),
      weight_(std::move(weight)),
      prefix_(std::move(prefix)) {
    const auto found = tensors_.find(weight_);
    if (found == tensors_.end()) {
        refuse(weight_, "is not there, though its scales are");
    }
    stored_ = found->second;
    if (stored_.shape.empty() || elementCount(stored_.shape).value_or(0) == 0) {
        refuse(weight_, "is " + toText(stored_.shape) + ", which has no rows");
    }
    if (!stored_.isRowMajor) {
        refuse(weight_, "is not stored row by row");
    }
}

bool QuantisedLayer::has(std::string_view name) const {
    return tensors_.contains(prefix_ + std::string(name));
}

void QuantisedLayer::addScales(std::initializer_list<const char*> names) {
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const char* name) { return has(name); });
    const int64_t rows = stored_.shape.front();
    add(found == names.end() ? *names.begin() : *found,
        "one number, or " + std::to_string(rows) + ", in F32, F16 or BF16",
        [&](const TensorPlace& place) {
            const int64_t count = elementCount(place.shape).value_or(0);
            const bool isNumber =
                place.type == DType::F32 || place.type == DType::F16 || place.type == DType::BF16;
            return isNumber && (count == 1 || count == rows);
        });
}

void QuantisedLayer::addNumbers(const std::string& name, int64_t count) {
    add(name, std::to_string(count) + " in F32", [&](const TensorPlace& place) {
        return place.type == DType::F32 && elementCount(place.shape) == count;
    });
}

void QuantisedLayer::addBytes(const std::string& name, DType type, int64_t count) {
    add(name,
        std::to_string(count) + " of type " + std::string(nameOf(type)) + " or U8",
        [&](const TensorPlace& place) {
            return (place.type == type || place.type == DType::U8) &&
                   elementCount(place.shape) == count;
        });
}

void QuantisedLayer::leaveOut(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (has(name)) {
            names_.insert(prefix_ + name);
        }
    }
}

void QuantisedLayer::requireType(DType type) const {
    if (stored_.type != type) {
        refuse(weight_,
               "is " + std::string(nameOf(stored_.type)) + ", its layer's settings say " +
                   std::string(nameOf(type)));
    }
}

TensorPlace QuantisedLayer::encoded(const std::string& encoding,
                                    Shape shape,
                                    int64_t blockElements,
                                    Bytes blockBytes) const {
    const int64_t count = elementCount(shape).value_or(0);
    if (count == 0 || count % blockElements != 0 ||
        count / blockElements * blockBytes != stored_.bytes()) {
        refuse(weight_,
               "has " + std::to_string(stored_.bytes()) + " bytes, which are not those of " +
                   toText(shape) + " in blocks of " + std::to_string(blockElements));
    }
    TensorPlace place = stored_;
    place.type = DType::F32;
    place.shape = std::move(shape);
    place.encoded = {.encoding = encoding,
                     .blockElements = blockElements,
                     .blockBytes = blockBytes,
                     .columns = count / place.shape.front(),
                     .companions = companions_};
    return place;
}

void QuantisedLayer::requireWholeRows(const Shape& shape, int64_t blockElements) const {
    const int64_t columns = elementCount(shape).value_or(0) / shape.front();
    if (columns % blockElements != 0) {
        refuse(weight_,
               "is " + toText(shape) + ", whose rows are no whole blocks of " +
                   std::to_string(blockElements) + " numbers");
    }
}

void QuantisedLayer::refuse(const std::string& name, const std::string& problem) const {
    throw Error(ErrorKind::Corrupt,
                file_ + ", " + quotedName(name) + ": " + problem,
                "get the file again, or choose another one");
}

const TensorPlace& QuantisedLayer::placeOf(const std::string& name) const {
    const auto found = tensors_.find(prefix_ + name);
    if (found == tensors_.end()) {
        refuse(weight_, "its scales " + quotedName(prefix_ + name) + " are not there");
    }
    return found->second;
}

void QuantisedLayer::take(const std::string& name, const TensorPlace& place) {
    companions_.push_back({.key = prefix_ + name,
                           .fileOffset = place.offset,
                           .type = place.type,
                           .elementCount = elementCount(place.shape).value_or(0)});
    names_.insert(prefix_ + name);
}

}  // namespace lowtide::models
