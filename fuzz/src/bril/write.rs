//! Writes functions and programs as JSON, straight from the IR.

use super::instr::{Instr, Seq, TypeJson};
use super::prepare::prepare;
use backedge_core::ir::{Block, Extern, Function, Local, Operand, Program, Target, Type};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json as value};
use smallvec::SmallVec;
use std::fmt::Write;

/// A program as JSON; every function is [prepared](prepare) first.
pub fn export(program: &Program) -> Value {
    let functions: Vec<Value> = program.functions.iter().map(export_function).collect();
    let mut object = value!({ "functions": functions });
    for (key, value) in environment(program) {
        object[key] = value;
    }
    object
}

/// A function as JSON; it is [prepared](prepare) first.
pub fn export_function(function: &Function) -> Value {
    let prepared = prepare(function);
    value!(FunctionJson::new(prepared.as_ref().unwrap_or(function)))
}

/// What a program has besides its functions.
fn environment(program: &Program) -> Vec<(&'static str, Value)> {
    let mut fields = Vec::new();
    if !program.directives.is_empty() {
        let pairs = program.directives.iter().map(|d| value!([d.key, d.value]));
        fields.push(("directives", pairs.collect()));
    }
    if !program.externs.is_empty() {
        fields.push(("externs", program.externs.iter().map(export_extern).collect()));
    }
    if let Some(words) = program.memory {
        fields.push(("memory", words.into()));
    }
    fields
}

fn export_extern(declared: &Extern) -> Value {
    let args: Vec<TypeJson> = declared.params.iter().map(TypeJson).collect();
    let mut object = value!({ "name": declared.name.as_str(), "args": args });
    if let Some(ret) = &declared.ret {
        object["type"] = value!(TypeJson(ret));
    }
    object
}

/// The text of a program's JSON, one instruction a line; every function is [prepared](prepare)
/// first.
pub fn json(program: &Program) -> String {
    let mut out = "{\n".to_owned();
    for (key, value) in environment(program) {
        let _ = writeln!(out, "  \"{key}\": {value},");
    }
    out.push_str("  \"functions\": [");
    for (index, function) in program.functions.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        let prepared = prepare(function);
        write_function(&FunctionJson::new(prepared.as_ref().unwrap_or(function)), &mut out);
    }
    out.push_str("\n  ]\n}\n");
    out
}

fn write_function(json: &FunctionJson, out: &mut String) {
    let head = compact(&Head(json));
    out.push_str("    ");
    out.push_str(head.strip_suffix('}').unwrap_or(&head));
    out.push_str(",\"instrs\":[");
    for (index, element) in json.elements().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        let indent = if matches!(element, Element::Label { .. }) { 6 } else { 8 };
        let _ = write!(out, "{:indent$}{}", "", compact(&element));
    }
    out.push_str("\n    ]}");
}

/// The JSON of something whose keys are all strings, which can't fail.
fn compact(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// A [prepared](prepare) function, to be written by serde without a copy.
#[derive(Debug)]
pub struct FunctionJson<'f> {
    pub(super) function: &'f Function,
    /// By block that has parameters: the edges into it, one a predecessor.
    incoming: Vec<Vec<(Block, &'f Target)>>,
}

impl<'f> FunctionJson<'f> {
    /// Borrows the function, which must be prepared: [`prepare`] finds nothing to do.
    pub fn new(function: &'f Function) -> FunctionJson<'f> {
        let mut incoming: Vec<Vec<(Block, &Target)>> = vec![Vec::new(); function.blocks.len()];
        for (from, data) in &function.blocks {
            data.term.kind.for_each_target(|target| {
                let edges = &mut incoming[target.block.as_u32() as usize];
                // Parallel edges of a prepared function carry the same arguments.
                if !target.args.is_empty() && edges.last().is_none_or(|&(last, _)| last != from) {
                    edges.push((from, target));
                }
            });
        }
        FunctionJson { function, incoming }
    }

    pub(super) fn name(&self, local: Local) -> &'f str {
        &self.function.locals[local].name
    }

    pub(super) fn label(&self, block: Block) -> &'f str {
        &self.function.blocks[block].name
    }

    fn elements(&self) -> impl Iterator<Item = Element<'f>> {
        self.function.blocks.iter().flat_map(move |(block, data)| {
            let label = Element::Label { label: &data.name };
            let phis = (0..data.params.len()).map(move |position| self.phi(block, position));
            let insts = data.insts.iter().map(|inst| self.inst(inst));
            let term = std::iter::once_with(|| self.terminator(&data.term.kind));
            let code = phis.chain(insts).chain(term).map(|instr| Element::Instr(Box::new(instr)));
            std::iter::once(label).chain(code)
        })
    }

    fn phi(&self, block: Block, position: usize) -> Instr<'f> {
        let mut phi = Instr::of("phi");
        self.assign(&mut phi, self.function.blocks[block].params[position]);
        let (mut args, mut labels) = (SmallVec::new(), SmallVec::new());
        let mut consts = Vec::new();
        for &(from, target) in &self.incoming[block.as_u32() as usize] {
            match target.args.get(position) {
                Some(&Operand::Local(local)) => {
                    args.push(self.name(local));
                    labels.push(self.label(from));
                }
                Some(&Operand::Const(number)) => consts.push((self.label(from), number)),
                None => {}
            }
        }
        phi.args = Some(Seq(args));
        phi.labels = Some(Seq(labels));
        phi.consts = (!consts.is_empty()).then_some(consts);
        phi
    }
}

impl Serialize for FunctionJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.serialize_head(&mut map)?;
        map.serialize_entry("instrs", &Body(self))?;
        map.end()
    }
}

impl FunctionJson<'_> {
    /// All fields but `instrs`.
    fn serialize_head<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let function = self.function;
        let arg = |&param: &Local| Arg {
            name: self.name(param),
            ty: TypeJson(&function.locals[param].ty),
        };
        map.serialize_entry("name", function.name.as_str())?;
        map.serialize_entry("args", &function.params.iter().map(arg).collect::<Vec<_>>())?;
        if let Some(ret) = &function.ret {
            map.serialize_entry("type", &TypeJson(ret))?;
        }
        let typed = function.locals.keys().filter(|&local| function.locals[local].ty != Type::Int);
        let typed: Vec<Arg> = typed
            .filter(|local| !function.params.contains(local))
            .map(|local| arg(&local))
            .collect();
        if !typed.is_empty() {
            map.serialize_entry("locals", &typed)?;
        }
        if function.ssa {
            map.serialize_entry("ssa", &true)?;
        }
        Ok(())
    }
}

#[derive(serde::Serialize)]
struct Arg<'f> {
    name: &'f str,
    #[serde(rename = "type")]
    ty: TypeJson<'f>,
}

struct Head<'a, 'f>(&'a FunctionJson<'f>);

impl Serialize for Head<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.serialize_head(&mut map)?;
        map.end()
    }
}

struct Body<'a, 'f>(&'a FunctionJson<'f>);

impl Serialize for Body<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.elements())
    }
}

#[derive(serde::Serialize)]
#[serde(untagged)]
enum Element<'f> {
    Label { label: &'f str },
    Instr(Box<Instr<'f>>),
}
