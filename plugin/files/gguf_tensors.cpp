#include "plugin/files/gguf_tensors.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/gguf_format.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace lowtide::files {

namespace {

/// A name's length, the number of sizes, a type and an offset.
constexpr uint64_t kLeastTensorBytes = 24;

Shape takeShape(PieceCursor& cursor, const std::string& what) {
    const uint64_t count = cursor.number(4);
    if (count > kMostGgufSizes) {
        refuseDamaged(what,
                      "has " + std::to_string(count) + " sizes, at most " +
                          std::to_string(kMostGgufSizes) + " are allowed");
    }
    Shape shape;
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t size = cursor.number(8);
        if (!std::in_range<int64_t>(size)) {
            refuseDamaged(
                what,
                "has a size of " + std::to_string(size) + ", each size must be from 1 to 2^63 - 1");
        }
        shape.push_back(static_cast<int64_t>(size));
    }
    std::reverse(shape.begin(), shape.end());
    return shape;
}

GgmlType takeType(PieceCursor& cursor, const std::string& what) {
    const auto number = static_cast<uint32_t>(cursor.number(4));
    const GgmlTypeInfo* info = ggmlTypeOf(number);
    if (!info) {
        throw Error(ErrorKind::Unsupported,
                    what + ": its element type has the number " + std::to_string(number) +
                        ", which is not known here",
                    "use a file with another quantisation, such as Q8_0 or Q4_K");
    }
    return info->type;
}

/// `offset` of the result counts from the start of the data still.
GgufTensor takeTensor(PieceCursor& cursor, Bytes alignment) {
    GgufTensor tensor;
    tensor.name = takeName(cursor, kLongestGgufName, "tensor");
    const std::string what = cursor.subject() + ", tensor " + quotedName(tensor.name);
    tensor.shape = takeShape(cursor, what);
    tensor.type = takeType(cursor, what);
    const std::string problem = problemOfShape(tensor.type, tensor.shape);
    if (!problem.empty()) {
        refuseDamaged(what, problem);
    }
    tensor.bytes = *byteCount(tensor.type, tensor.shape);
    const uint64_t offset = cursor.number(8);
    if (offset % static_cast<uint64_t>(alignment) != 0) {
        refuseDamaged(what,
                      "begins at byte " + std::to_string(offset) +
                          " of the data, which is no multiple of the alignment " +
                          std::to_string(alignment));
    }
    if (!std::in_range<Bytes>(offset)) {
        refuseDamaged(what, "begins at byte " + std::to_string(offset) + " of the data");
    }
    tensor.offset = static_cast<Bytes>(offset);
    return tensor;
}

void requireUniqueNames(const std::string& subject, const std::vector<GgufTensor>& tensors) {
    std::set<std::string_view> names;
    for (const GgufTensor& tensor : tensors) {
        if (!names.insert(tensor.name).second) {
            refuseDamaged(subject + ", tensor " + quotedName(tensor.name), "is there twice");
        }
    }
}

void requireApart(const std::string& subject, const std::vector<GgufTensor>& tensors) {
    std::vector<const GgufTensor*> order;
    for (const GgufTensor& tensor : tensors) {
        order.push_back(&tensor);
    }
    std::sort(order.begin(), order.end(), [](const GgufTensor* a, const GgufTensor* b) {
        return a->offset < b->offset;
    });
    for (size_t i = 1; i < order.size(); ++i) {
        if (order[i]->offset < order[i - 1]->offset + order[i - 1]->bytes) {
            refuseDamaged(subject + ", tensor " + quotedName(order[i]->name),
                          "overlaps the tensor " + quotedName(order[i - 1]->name));
        }
    }
}

}  // namespace

void requireRoom(const PieceCursor& cursor,
                 uint64_t count,
                 uint64_t leastBytes,
                 const char* entries) {
    if (count > cursor.left() / leastBytes) {
        refuseDamaged(cursor.subject(),
                      "claims " + std::to_string(count) + " " + entries + ", but only " +
                          std::to_string(cursor.left()) + " bytes follow");
    }
}

std::string takeName(PieceCursor& cursor, size_t mostBytes, const char* what) {
    const uint64_t length = cursor.number(8);
    if (length > mostBytes) {
        refuseDamaged(cursor.subject(),
                      std::string("a ") + what + " is " + std::to_string(length) +
                          " bytes long, at most " + std::to_string(mostBytes) + " are allowed");
    }
    std::string name = cursor.text(length);
    const std::string problem = problemOfName(name, mostBytes);
    if (!problem.empty()) {
        refuseDamaged(cursor.subject() + ", " + what + " " + quotedName(name), problem);
    }
    return name;
}

std::vector<GgufTensor> takeTensors(PieceCursor& cursor, uint64_t count, Bytes alignment) {
    requireRoom(cursor, count, kLeastTensorBytes, "tensors");
    std::vector<GgufTensor> tensors;
    for (uint64_t i = 0; i < count; ++i) {
        tensors.push_back(takeTensor(cursor, alignment));
    }
    requireUniqueNames(cursor.subject(), tensors);
    const Bytes start = alignUp(cursor.position(), alignment);
    const Bytes end = cursor.position() + static_cast<Bytes>(cursor.left());
    for (GgufTensor& tensor : tensors) {
        if (end - start < tensor.offset || end - start - tensor.offset < tensor.bytes) {
            refuseDamaged(cursor.subject() + ", tensor " + quotedName(tensor.name),
                          "takes " + std::to_string(tensor.bytes) + " bytes from byte " +
                              std::to_string(tensor.offset) + " of the data on, which is only " +
                              std::to_string(std::max<Bytes>(end - start, 0)) + " bytes long");
        }
        tensor.offset += start;
    }
    requireApart(cursor.subject(), tensors);
    return tensors;
}

}  // namespace lowtide::files
