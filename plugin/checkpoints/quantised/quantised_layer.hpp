#pragma once

#include "plugin/checkpoints/quantised/layer_settings.hpp"

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lowtide::models {

/// One quantised weight of a file with what lies beside it. Errors are Error{Corrupt} and name file
/// and tensor.
class QuantisedLayer {
public:
    /// `weight`: its name; `prefix`: of those of its companions.
    QuantisedLayer(const TensorPlaces& tensors,
                   std::string file,
                   std::string weight,
                   std::string prefix);

    /// As it lies in the file.
    [[nodiscard]] const TensorPlace& stored() const { return stored_; }

    [[nodiscard]] bool has(std::string_view name) const;

    /// Adds "<prefix><name>" to the companions; `needs` says for messages what it must be. `fits`
    /// decides.
    template <typename Fits>
    void add(const std::string& name, const std::string& needs, const Fits& fits) {
        const TensorPlace& place = placeOf(name);
        if (!fits(place)) {
            refuse(prefix_ + name,
                   "is " + std::string(nameOf(place.type)) + " " + toText(place.shape) +
                       ", needs " + needs);
        }
        take(name, place);
    }

    /// A scale of the tensor, or one for each row, in F32, F16 or BF16.
    void addScales(std::initializer_list<const char*> names);
    /// So many numbers in F32.
    void addNumbers(const std::string& name, int64_t count);
    /// Bytes, U8 or of that type.
    void addBytes(const std::string& name, DType type, int64_t count);

    /// Forgets what decoding does not need.
    void leaveOut(std::initializer_list<const char*> names);

    void requireType(DType type) const;

    /// The weight, of this shape once it is decoded; blocks may go on from row to row.
    [[nodiscard]] TensorPlace encoded(const std::string& encoding,
                                      Shape shape,
                                      int64_t blockElements,
                                      Bytes blockBytes) const;
    /// Refuses rows of this shape that are no whole blocks.
    void requireWholeRows(const Shape& shape, int64_t blockElements) const;

    /// Names in the file that are no weights of their own.
    [[nodiscard]] const std::set<std::string>& companionNames() const { return names_; }

    [[noreturn]] void refuse(const std::string& name, const std::string& problem) const;

private:
    [[nodiscard]] const TensorPlace& placeOf(const std::string& name) const;
    void take(const std::string& name, const TensorPlace& place);

    const TensorPlaces& tensors_;
    std::string file_;
    std::string weight_;
    std::string prefix_;
    TensorPlace stored_;
    std::vector<memory::Companion> companions_;
    std::set<std::string> names_;
};

}  // namespace lowtide::models
