#include "tests/journey/xl_bad_files.hpp"

#include "tests/fixtures/reference.hpp"

namespace lowtide::testing {

namespace {

const std::string kUnet = "model.diffusion_model.";
const std::string kFirst = "conditioner.embedders.0.";
const std::string kSecond = "conditioner.embedders.1.";
const std::string kProjection = kSecond + "model.text_projection";
const std::string kLabels = kUnet + "label_emb.0.0.weight";

FileTensor zerosOf(DType type, Shape shape) {
    const auto bytes = static_cast<size_t>(elementCount(shape).value() * sizeOf(type));
    return {.type = type, .shape = std::move(shape), .bytes = std::string(bytes, '\0')};
}

FileTensor zerosOf(Shape shape) {
    return zerosOf(DType::F32, std::move(shape));
}

void keepUnder(TensorFile& tensors, const std::string& prefix) {
    std::erase_if(tensors, [&](const auto& entry) { return !entry.first.starts_with(prefix); });
}

void dropUnder(TensorFile& tensors, const std::string& prefix) {
    std::erase_if(tensors, [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

TensorFile loraOf(const std::string& before, std::initializer_list<const char*> parts) {
    TensorFile tensors;
    for (int layer = 0; layer < 40; ++layer) {
        for (const char* part : parts) {
            tensors[before + std::to_string(layer) + part] = zerosOf({4, 4});
        }
    }
    return tensors;
}

std::vector<BadFile> otherKinds() {
    const QString key = "no tensor model.diffusion_model.input_blocks.0.0.weight";
    return {
        {"the autoencoder of SD 1.5",
         [](TensorFile& t) {
             t = readTensorFile(
                 (goldenFolder() + "/checkpoints/sd15_0/vae/diffusion_pytorch_model.safetensors")
                     .toStdString());
         },
         {key,
          "is no checkpoint, it is of the kind \"autoencoder\"",
          "tensors begin with decoder, encoder, post_quant_conv and 1 more",
          "this file as its autoencoder (vae)"}},
        {"its own autoencoder",
         [](TensorFile& t) { keepUnder(t, "first_stage_model."); },
         {key, "of the kind \"autoencoder\"", "begin with first_stage_model"}},
        {"a LoRA",
         [](TensorFile& t) {
             t = loraOf("lora_unet_down_blocks_", {".lora_down.weight", ".lora_up.weight"});
         },
         {key,
          "of the kind \"LoRA\"",
          "its 80 tensors begin with lora_unet_down_blocks_0",
          "and 37 more",
          "files of this kind are not read"}},
        {"a LoRA in PEFT's names",
         [](TensorFile& t) {
             t = loraOf("base_model.model.", {".lora_A.weight", ".lora_B.weight"});
         },
         {key, "of the kind \"LoRA\"", "its 80 tensors begin with base_model"}},
    };
}

std::vector<BadFile> otherEncoders() {
    const QString projection = QString::fromStdString(kProjection);
    return {
        {"the first encoder is missing",
         [](TensorFile& t) { dropUnder(t, kFirst); },
         {"no tensor "
          "conditioner.embedders.0.transformer.text_model.embeddings.token_embedding.weight",
          "SDXL has two text encoders, this file has only the one under "
          "conditioner.embedders.1.model."}},
        {"the second encoder is missing",
         [](TensorFile& t) { dropUnder(t, kSecond); },
         {"no tensor conditioner.embedders.1.model.token_embedding.weight",
          "SDXL has two text encoders, this file has only the one under "
          "conditioner.embedders.0.transformer."}},
        {"both encoders are missing",
         [](TensorFile& t) { dropUnder(t, "conditioner."); },
         {"text_encoder_2 is missing, sdxl needs a CLIPTextModelWithProjection"}},
        {"a narrower projection",
         [](TensorFile& t) {
             t[kProjection] = zerosOf({128, 64});
         },
         {"label_emb.0.0.weight takes 176 numbers",
          projection + " gives 64",
          "must be 6 equal parts, it is 112"}},
        {"a projection of another height",
         [](TensorFile& t) {
             t[kProjection] = zerosOf({64, 80});
         },
         {projection + " is [80, 64], needs [80, 128]"}},
        {"a projection of one axis",
         [](TensorFile& t) { t[kProjection] = zerosOf({80}); },
         {projection + " has the shape [80], needs a size on axis 1"}},
        {"no projection",
         [](TensorFile& t) { t.erase(kProjection); },
         {"there is no tensor " + projection}},
        {"whole numbers",
         [](TensorFile& t) {
             FileTensor& tensor = t.at(kUnet + "out.2.weight");
             tensor = zerosOf(DType::I32, tensor.shape);
         },
         {"model.diffusion_model.out.2.weight has the type I32, needs one of floating point"}},
    };
}

/// What a denoiser is given in addition to a pooled text: a number of sizes that nobody has.
std::vector<BadFile> otherNumbers() {
    const QString labels = QString::fromStdString(kLabels);
    const auto reported = [](Shape shape) {
        return [shape](TensorFile& t) { t[kLabels] = zerosOf(shape); };
    };
    return {
        {"five sizes, as a refiner's",
         reported({256, 80 + 5 * 16}),
         {labels + " takes 160 numbers", "must be 6 equal parts, it is 80"}},
        {"no sizes",
         reported({256, 80}),
         {labels + " takes 80 numbers", "must be 6 equal parts, it is 0"}},
        {"fewer numbers than the text has",
         reported({256, 48}),
         {labels + " takes 48 numbers",
          QString::fromStdString(kProjection) + " gives 80",
          "it is -32"}},
        {"sizes of one axis",
         reported({176}),
         {labels + " has the shape [176], needs a size on axis 1"}},
        {"sizes of three axes",
         reported({256, 176, 1}),
         {labels + " is [256, 176, 1], needs [256, 176]"}},
    };
}

}  // namespace

std::vector<BadFile> badXlFiles() {
    std::vector<BadFile> all = otherKinds();
    for (const auto& more : {otherEncoders(), otherNumbers()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

}  // namespace lowtide::testing
