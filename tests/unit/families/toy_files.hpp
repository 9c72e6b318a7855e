#pragma once
// Checkpoints of the toy family with random weights, and adapters for them. Names are spelled out
// here, as other programs would write them.

#include "tests/fixtures/tensor_file.hpp"

#include <QString>
#include <QTemporaryDir>

#include <string>

namespace lowtide::testing {

/// In whose words a file names the toy's weights.
enum class ToyWords : uint8_t {
    Diffusers,
    Own,
    OwnOfWhole,  ///< its own behind the prefix that whole checkpoints have
    Kohya,       ///< of adapters: its own without dots
    Bare         ///< of adapters: its own, and nothing states of which component
};

class ToyFiles {
public:
    /// Writes the folder: the toy's transformer, text encoder and autoencoder of the mini model.
    ToyFiles();

    /// A checkpoint in the diffusers layout.
    [[nodiscard]] QString folder() const { return at("toy_model"); }

    [[nodiscard]] QString at(const QString& name) const { return folder_.filePath(name); }

    /// The transformer alone in a file of that name. Its path.
    QString writeTransformer(const QString& name, ToyWords words) const;
    /// A LoRA of two layers, the fused one whole where the words have it so. Its path.
    QString writeLora(const QString& name, ToyWords words) const;
    /// The same for a layer that the toy does not have, in its words. Its path.
    QString writeOtherLora(const QString& name) const;

private:
    QTemporaryDir folder_;
    TensorFile weights_;  ///< in diffusers' words
};

}  // namespace lowtide::testing
