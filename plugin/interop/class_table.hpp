#pragma once
// What is known of the node classes of ComfyUI: their widgets and outputs, and what stands for them
// here. The rows are data, resources/interop/classes.json.

#include "plugin/base/json.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::interop {

/// A value of a class in the order in which a workflow lists them. A name that begins with "~" is
/// not an input: it stands in the list alone.
struct Widget {
    std::string name;
    std::optional<Json> defaultValue;
};

/// A node that stands for one of ComfyUI, or for a part of it.
struct RecipeNode {
    std::string name;  ///< within the recipe; empty: the first
    std::string type;  ///< its id here
    /// What feeds our ports: an input of the class, or "@name.port" of another node of the recipe.
    std::map<std::string, std::string> inputs;
    /// What feeds our ports: the port of that name of the nearest node before the input.
    std::map<std::string, std::string> before;
    /// Ports of images that become multiples of what the model at the other port takes, as
    /// ComfyUI's autoencoders cut them.
    std::map<std::string, std::string> fitted;
    /// Where our parameters come from: see ClassTable.
    std::map<std::string, Json> params;
};

/// Why a result is not ComfyUI's where a parameter of the first node has one of some values.
struct NearCase {
    std::map<std::string, Json> values;  ///< lists of values by parameter
    std::optional<int> slot;             ///< it holds where this output is wired; nothing: always
    std::string why;
};

/// An output that the first node gives with other parameters alone.
struct ApartOutput {
    int slot = 0;
    std::string name;                    ///< of a second node, within the recipe
    std::map<std::string, Json> params;  ///< as RecipeNode::params
    std::vector<NearCase> near;
};

/// One way to express a class.
struct Recipe {
    /// Holds where this input is wired, kOfCheckpoint: where the model is run with the text
    /// encoders of a checkpoint, whose parameters the node has, too; empty: always.
    std::string when;
    std::vector<RecipeNode> nodes;
    std::vector<std::string> outputs;  ///< our ports by their slots, "port" or "@name.port"
    std::vector<std::string> through;  ///< inputs whose settings an output has, and its wire
    /// Inputs of what an image encoder made, and the inputs of the images that it is given here.
    std::map<std::string, std::string> sees;
    std::set<std::string> unread;  ///< inputs of wires that make no difference here
    /// Inputs of which ComfyUI takes the first prompt alone, without what rides on it.
    std::set<std::string> bare;
    /// Inputs whose settings an output has, too, where those of `through` have no such.
    std::vector<std::string> joins;
    std::string port;                            ///< the output of that wire's node to take instead
    std::map<std::string, std::string> carries;  ///< wires that travel with the outputs
    /// ComfyUI gives those wires to the negative prompt, too, where the positive one has them.
    bool isSpread = false;
    std::vector<std::map<std::string, Json>> settings;  ///< by output; one for all
    std::map<std::string, Json> back;  ///< parameters of the node that made that wire
    std::string near;                  ///< why the result is not ComfyUI's; empty: it is
    std::vector<NearCase> nearWith;
    std::optional<ApartOutput> apart;
};

inline constexpr const char* kOfCheckpoint = "@checkpoint";

/// What a loader is a part of: the network that is run, or what goes with it.
enum class ModelRole { None, Model, TextEncoder, Autoencoder, ImageEncoder };

/// How a node of ours becomes one of the class: its first recipe backwards, and what that lacks.
struct ExportRule {
    bool isUsed = true;  ///< false: another class stands for that node
    /// Endings, one of which each of these parameters has.
    std::map<std::string, std::vector<std::string>> when;
    std::map<std::string, Json> values;         ///< of inputs; see ClassTable
    std::map<std::string, std::string> inputs;  ///< that are wired as another one, unless they are
    /// Names of ours that stand for those of the recipe in a second node of the class.
    std::map<std::string, std::string> again;
    /// Why that second node gives another image, `why`, where `expr` holds and the family is, or
    /// may be, `family`; null: it does not.
    Json againNear;
    /// Inputs that an input of ours gives, too, where it can: "model.CLIP_VISION_OUTPUT".
    std::map<std::string, std::string> wires;
    /// Parameters and inputs of ours that `values` have in another way, or that make no difference
    /// there; and how far that is from ours, which may be empty.
    std::map<std::string, std::string> takes;
    /// In place of the recipe's; empty: the image is the same.
    std::optional<std::string> near;
};

/// What the editor does with a node that no server is sent. Set and Get are wires between nodes of
/// one name, Editor is neither a value nor a wire.
enum class VirtualKind { None, Note, Value, Reroute, Set, Get, Editor };

/// Values of a class that are objects, any number of them.
struct WidgetObjects {
    std::string prefix;  ///< of their inputs: "lora_", for "lora_1.strength"
    std::string needed;  ///< the member that they have; others are of the editor alone
};

struct ClassRow {
    std::string name;
    std::vector<Widget> widgets;
    std::vector<std::string>
        drawn;  ///< widgets whose alternatives the editor draws: see editor_text
    std::optional<WidgetObjects> objects;
    std::vector<std::string> outputTypes;
    std::string fold;  ///< how it is evaluated while importing; empty: it is not
    VirtualKind virtualKind = VirtualKind::None;
    std::string absence;  ///< why nothing stands for it; empty: there is no other reason
    ModelRole role = ModelRole::None;
    std::vector<Recipe> recipes;  ///< empty, and no `fold`: nothing stands for it
    ExportRule exported;

    /// Whether a value of that name stands in lists alone, and is no input.
    [[nodiscard]] bool isListedAlone(std::string_view widgetName) const {
        return widget("~" + std::string(widgetName)) != nullptr;
    }

    /// nullptr: it has none of that name.
    [[nodiscard]] const Widget* widget(std::string_view widgetName) const {
        const auto found = std::ranges::find(widgets, widgetName, &Widget::name);
        return found == widgets.end() ? nullptr : &*found;
    }
};

/// A family by parts of the names of its files.
struct FamilyRow {
    std::string id;
    std::vector<std::string> names;
    bool runs = false;
    bool skipsLayer = false;  ///< its text encoders leave out their last layer by themselves
    /// Of two denoisers, the fraction of the timesteps below which the second takes over; 0: there
    /// is one.
    double boundary = 0;
};

/// The rows by class. A parameter or setting is one of
///   "widget"                                   the value of that input
///   ["widget", "other"]                        that of the first that has one
///   {"is": value}                              a constant
///   {"from": "widget", "map": {a: b}, "else": c}  a word for a word; `else` is near, not exact. A
///                                              map that several rows have is named: "samplers"
///   {"expr": "2 * width"}                      an Expression of inputs; known are, too,
///                                              `skips_layer` of the model's family and the
///                                              `start_step` that rides on the wires, or 0
/// A key that ends in "?" is given where this version has such a parameter that takes the value,
/// and not missed where it has not.
/// A value of an ExportRule has the same forms, of parameters of ours (and of `family`, the id of
/// the model's); `inverse` names a map that is read backwards. It may also be
///   {"from": "parameter", "least": 0}          the value, unless it is below
///   ["parameter", "other"]                     the first one that is no empty text
class ClassTable {
public:
    /// `maps`: the named ones. Error{Corrupt} names the class and key of a row that cannot be read.
    ClassTable(const Json& classes, const Json& families, const Json& maps);

    /// nullptr: none is known.
    [[nodiscard]] const ClassRow* find(std::string_view name) const;

    [[nodiscard]] const std::map<std::string, ClassRow, std::less<>>& rows() const { return rows_; }

    /// By the name of a file of weights, the most specific one; nullptr: no family is known to have
    /// such names.
    [[nodiscard]] const FamilyRow* familyOf(std::string_view file) const;

private:
    std::map<std::string, ClassRow, std::less<>> rows_;
    std::vector<FamilyRow> families_;
};

/// The table of the folder of resources. Errors: those of InputFile and of ClassTable.
[[nodiscard]] ClassTable readClassTable(const std::string& resourcesFolder);

}  // namespace lowtide::interop
